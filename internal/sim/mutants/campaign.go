package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// A campaign has an engine simulate the runs of a schedule, one after the other, in several processes at a time.
type campaign struct {
	program  string
	schedule *schedule
	jobs     int
	limit    time.Duration // processor time of all processes together, after which no run begins
	runs     int           // or so many; 0: as many as there is time for

	// ended is called for every run that ended, by one process at a time, and reports whether no other run is to begin.
	ended func(i int, r report) (enough bool)

	mu     sync.Mutex
	next   int
	cpu    time.Duration
	enough bool
	err    error
}

// do runs the campaign.
func (c *campaign) do(ctx context.Context) error {
	var group sync.WaitGroup
	for range c.jobs {
		group.Go(func() {
			if err := c.work(ctx); err != nil {
				c.mu.Lock()
				c.err, c.enough = errors.Join(c.err, err), true
				c.mu.Unlock()
			}
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return c.err
}

// take returns the next run that is to begin, false if there is none.
func (c *campaign) take() (i int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.enough || c.cpu >= c.limit || c.runs > 0 && c.next >= c.runs {
		return 0, false
	}
	i = c.next
	c.next++
	return i, true
}

// took notes what came of a run, and the processor time that a process used for it.
func (c *campaign) took(i int, r report, cpu time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cpu += cpu
	c.enough = c.ended(i, r) || c.enough
}

// work simulates runs in one process, or in another one after a run that ended it.
func (c *campaign) work(ctx context.Context) error {
	var p *simulator
	for {
		i, ok := c.take()
		if !ok {
			break
		}
		if p == nil {
			var err error
			if p, err = start(ctx, c.program); err != nil {
				return err
			}
		}
		before := p.cpu
		r, err := p.run(c.schedule.at(i))
		switch {
		case ctx.Err() != nil:
			_, _ = p.close()
			return ctx.Err()
		case err == nil && !p.gone:
			c.took(i, r, p.cpu-before)
			continue
		}
		cpu, words := p.close()
		p = nil
		if err != nil {
			r = report{Rule: "crash", Text: words.Error()}
		}
		c.took(i, r, cpu-before)
	}
	if p == nil {
		return nil
	}
	before := p.cpu
	cpu, _ := p.close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cpu += cpu - before
	return nil
}

// A simulator is a process that simulates.
type simulator struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *json.Decoder
	errors bytes.Buffer
	cpu    time.Duration // processor time so far
	gone   bool          // it gave a run up, and ends
}

func start(ctx context.Context, program string) (*simulator, error) {
	p := &simulator{cmd: exec.CommandContext(ctx, program, workerWord)}
	p.cmd.Stderr = &p.errors
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, json.NewDecoder(out)
	return p, p.cmd.Start()
}

// run has the process simulate one run. An error means that the process ended.
func (p *simulator) run(s simulated) (report, error) {
	var r report
	if _, err := fmt.Fprintln(p.in, s); err != nil {
		return r, err
	}
	if err := p.out.Decode(&r); err != nil {
		return r, err
	}
	p.cpu = r.CPU
	p.gone = r.Hash == "" // only a run that ended has one
	return r, nil
}

// close ends the process, and returns its processor time and the reason why it ended, if it did so by itself.
func (p *simulator) close() (time.Duration, error) {
	p.in.Close()
	_ = p.cmd.Wait() // words says why
	cpu := p.cpu
	if s := p.cmd.ProcessState; s != nil {
		cpu = max(cpu, s.UserTime()+s.SystemTime())
	}
	return cpu, lastWords(p.errors.String())
}
