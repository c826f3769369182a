package relay

import (
	"flag"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
)

// inNetwork says that this test program runs in a network of its own, with a card to anywhere.
const inNetwork = "DPLAY_TEST_IN_NETWORK"

// ownNetwork runs the test again, in a network whose only way out is a card at 203.0.113.5, and reports whether it is there.
func ownNetwork(t *testing.T) bool {
	t.Helper()
	if os.Getenv(inNetwork) != "" {
		return true
	}
	args := []string{"--net"}
	if os.Getuid() != 0 {
		args = append(args, "--user", "--map-root-user")
	}
	if out, err := exec.Command("unshare", append(args, "true")...).CombinedOutput(); err != nil {
		t.Skipf("a network of its own takes root, or a user namespace: %v: %s", err, out)
	}
	t.Parallel()
	// The script writes the settings below /proc because sysctl is not in an ordinary user's PATH.
	const script = `conf=/proc/sys/net/ipv6/conf
		ip link set lo up && echo 0 >$conf/default/accept_dad && echo 1 >$conf/default/addr_gen_mode &&
		ip link add out type veth peer name far && echo 1 >$conf/far/disable_ipv6 &&
		ip addr add 203.0.113.5/24 dev out && ip link set out up && ip link set far up && ip route add default dev out || exit 9
		exec "$0" -test.run "^$1\$" -test.count 1 -test.v -test.timeout "$2"`
	self, err := os.Executable()
	assert.NoError(t, err)
	cmd := exec.Command("unshare", append(args, "--", "sh", "-c", script, self, t.Name(), flag.Lookup("test.timeout").Value.String())...)
	cmd.Env = append(os.Environ(), inNetwork+"=1")
	out, err := cmd.CombinedOutput()
	assert.NoError(t, err, "%s", out)
	return false
}

// ip runs the program of that name.
func ip(t *testing.T, args ...string) {
	t.Helper()
	out, err := exec.Command("ip", args...).CombinedOutput()
	assert.NoError(t, err, "%s", out)
}
