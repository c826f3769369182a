package bridgecheck

import "dplay4/cmd/dplay/internal/bridging"

// The objects of --format ndjson; the help of the command describes them.
type (
	routerObject struct {
		Type string `json:"type"`
		Kind string `json:"kind"`
		Seen string `json:"seen,omitempty"`
	}
	relayObject struct {
		Type    string   `json:"type"`
		Relay   string   `json:"relay"`
		Host    string   `json:"host,omitempty"`
		Address string   `json:"address"`
		UDP     *float64 `json:"udp,omitempty"`
		TCP     *float64 `json:"tcp,omitempty"`
		TLS     *float64 `json:"tls,omitempty"`
	}
	portObject struct {
		Type      string `json:"type"`
		Transport string `json:"transport"`
		Port      uint16 `json:"port"`
		Program   string `json:"program"`
	}
	machineObject struct {
		Type string `json:"type"`
		*bridging.MachineObject
	}
	pairObject struct {
		Type string `json:"type"`
		*bridging.PairObject
	}
	textObject struct {
		Type string `json:"type"` // problem, warning or unknown
		Text string `json:"text"`
	}
)
