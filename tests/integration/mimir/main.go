// A reader of remote write as Grafana Mimir takes it: each argument is the body of a request as it was posted.
// It is read by Mimir's own messages, and each of its native histograms is checked by Mimir's own rules; a line
// of JSON is printed for each series.
//
// Mimir is under the AGPL: the program is built for a test where that runs, and is no part of what is published.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/golang/snappy"
	"github.com/grafana/mimir/pkg/mimirpb"
	"github.com/prometheus/prometheus/model/histogram"
)

type row struct {
	Labels    map[string]string `json:"labels"`
	Values    []float64         `json:"values"`
	TimesMs   []int64           `json:"times_ms"`
	Counts    []float64         `json:"counts"`
	Sums      []float64         `json:"sums"`
	IsInOrder bool              `json:"is_in_order"`
}

func checked(sent *mimirpb.Histogram) (*histogram.FloatHistogram, error) {
	if sent.IsFloatHistogram() {
		read := mimirpb.FromHistogramProtoToFloatHistogram(sent)
		return read, read.Validate()
	}
	read := mimirpb.FromHistogramProtoToHistogram(sent)
	return read.ToFloat(nil), read.Validate()
}

func rows(path string) ([]row, error) {
	packed, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	body, err := snappy.Decode(nil, packed)
	if err != nil {
		return nil, err
	}
	var request mimirpb.PreallocWriteRequest
	if err := request.Unmarshal(body); err != nil {
		return nil, err
	}
	var all []row
	for _, series := range request.Timeseries {
		r := row{Labels: map[string]string{}, IsInOrder: mimirpb.AreLabelNamesSortedAndUnique(series.Labels)}
		for _, label := range series.Labels {
			r.Labels[label.Name] = label.Value
		}
		for _, sample := range series.Samples {
			r.Values = append(r.Values, sample.Value)
			r.TimesMs = append(r.TimesMs, sample.TimestampMs)
		}
		for n := range series.Histograms {
			read, err := checked(&series.Histograms[n])
			if err != nil {
				return nil, err
			}
			r.Counts = append(r.Counts, read.Count)
			r.Sums = append(r.Sums, read.Sum)
			r.TimesMs = append(r.TimesMs, series.Histograms[n].Timestamp)
		}
		all = append(all, r)
	}
	return all, nil
}

func main() {
	out := json.NewEncoder(os.Stdout)
	for _, path := range os.Args[1:] {
		read, err := rows(path)
		if err != nil {
			log.Fatalf("%s: %v", path, err)
		}
		for _, r := range read {
			if err := out.Encode(r); err != nil {
				log.Fatal(err)
			}
		}
	}
}
