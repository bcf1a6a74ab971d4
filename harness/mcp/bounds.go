package mcp

import "time"

// The shares of the time of a run: the end of inference, the end of repeated faults, and the part
// of the rest that the campaign gets. After the campaign the sessions of causes are recorded.
const inferShare, repeatShare, campaignShare = 0.2, 0.85, 0.92

// Bounds divide the time of a run. Zero times are no bounds.
type Bounds struct {
	Inference, Repeats, End time.Time
	total                   time.Duration
}

// Share divides a time that began at start; 0 is no limit. What the start of the server took
// counts, but leaves inference its share of the rest.
func Share(start time.Time, total time.Duration) Bounds {
	if total == 0 {
		return Bounds{}
	}
	at := func(share float64) time.Time { return start.Add(time.Duration(share * float64(total))) }
	now := time.Now()
	inference := now.Add(time.Duration(inferShare * float64(at(1).Sub(now))))
	return Bounds{inference, at(repeatShare), at(1), total}
}

// Campaign returns the time for the campaign from now on; 0 is no limit. It gets at least a
// quarter of the total, whatever the start of the server took.
func (b Bounds) Campaign() time.Duration {
	if b.total == 0 {
		return 0
	}
	return max(time.Duration(campaignShare*float64(time.Until(b.End))), b.total/4)
}

// late reports whether a time is over; the zero time is never.
func late(until time.Time) bool { return !until.IsZero() && time.Now().After(until) }
