package main

import (
	"context"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// TestObjects has a program of the library come to a host and a joiner, make an object, change it, lend it to the host
// and destroy it: both tell their users.
func TestObjects(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at, "--player", "Ann")
	j := start(t, at.join("--player", "Bob"))
	j.expectWith("* you are Bob (")
	ctx := testkit.Context(t)
	s := enter(t, ctx, at)
	system, host := s.Info().System, s.HostID()
	h.event("peer_joined", "system", system.String()) // from now on it knows who is meant
	rock, err := s.CreateObject(ctx, []byte{0xAB})
	require.NoError(t, err)
	o := rock.String()
	h.event("object_created", "object", o, "owner", system.String(), "counter", 0.0, "state", "ab")
	j.expect("* there is an object " + o + " of the machine " + at.address + ": 1 octets: ab")
	require.NoError(t, s.UpdateObject(ctx, rock, []byte{0xCD}))
	h.event("object_updated", "object", o, "owner", system.String(), "state", "cd")
	j.expect("* the object " + o + " of the machine " + at.address + " changed: 1 octets: cd")
	require.NoError(t, s.MigrateObject(ctx, rock, host))
	h.event("object_migrated", "object", o, "owner", host.String(), "old_owner", system.String(), "counter", 1.0, "state", "cd")
	j.expect("* the object " + o + " went from the machine " + at.address + " to Ann's machine (" + at.address + "): 1 octets: cd")
	migrated(t, ctx, s, host)
	require.NoError(t, s.MigrateObject(ctx, rock, system))
	migrated(t, ctx, s, system)
	require.NoError(t, s.DestroyObject(ctx, rock))
	h.event("object_destroyed", "object", o, "owner", system.String())
	j.expect("* the object " + o + " is gone, destroyed by the machine " + at.address)
	require.NoError(t, s.Close())
}

// enter joins the session of a place with the library.
func enter(t *testing.T, ctx context.Context, at place) *sock.Session {
	t.Helper()
	addr := netip.MustParseAddr(at.address)
	s, err := sock.Open(sock.Options{Bind: addr})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	found, err := s.Find(ctx, sock.Ask{Application: mustParse(at.app), Hosts: []netip.Addr{addr}})
	require.NoError(t, err)
	require.NoError(t, s.Join(ctx, found, ""))
	return s
}

// migrated waits until a session knows that an object has another owner.
func migrated(t *testing.T, ctx context.Context, s *sock.Session, to wire.PlayerID) {
	t.Helper()
	for {
		select {
		case e := <-s.Events():
			if m, ok := e.(dpsp.ObjectMigrated); ok && m.To == to {
				return
			}
		case <-ctx.Done():
			require.FailNow(t, "the object does not change hands")
		}
	}
}
