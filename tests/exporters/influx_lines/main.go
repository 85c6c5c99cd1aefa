// A reader of InfluxDB's line protocol: reads lines from standard input by InfluxData's own decoder, and prints
// a line of JSON for each of them.
package main

import (
	"encoding/json"
	"log"
	"os"
	"time"

	"github.com/influxdata/line-protocol/v2/lineprotocol"
)

type point struct {
	Measurement string             `json:"measurement"`
	Tags        map[string]string  `json:"tags"`
	Fields      map[string]float64 `json:"fields"`
	TimeNs      int64              `json:"t_ns"`
}

func read(decoder *lineprotocol.Decoder) (point, error) {
	p := point{Tags: map[string]string{}, Fields: map[string]float64{}}
	name, err := decoder.Measurement()
	if err != nil {
		return p, err
	}
	p.Measurement = string(name)
	for {
		key, value, err := decoder.NextTag()
		if err != nil {
			return p, err
		}
		if key == nil {
			break
		}
		p.Tags[string(key)] = string(value)
	}
	for {
		key, value, err := decoder.NextField()
		if err != nil {
			return p, err
		}
		if key == nil {
			break
		}
		p.Fields[string(key)] = value.FloatV()
	}
	at, err := decoder.Time(lineprotocol.Nanosecond, time.Time{})
	p.TimeNs = at.UnixNano()
	return p, err
}

func main() {
	decoder := lineprotocol.NewDecoder(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for decoder.Next() {
		p, err := read(decoder)
		if err != nil {
			log.Fatal(err)
		}
		if err := out.Encode(p); err != nil {
			log.Fatal(err)
		}
	}
	if err := decoder.Err(); err != nil {
		log.Fatal(err)
	}
}
