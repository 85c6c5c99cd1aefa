// A service of quotes: GET /quote/N answers with a price. It reads settings.json in its folder.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"math/rand"
	"net/http"
	"os"
	"time"
)

type settings struct {
	Port       int     `json:"port"`
	DelayMS    float64 `json:"delay_ms"`
	Slots      int     `json:"slots"`
	TailShare  float64 `json:"tail_share"`
	TailMS     float64 `json:"tail_ms"`
	FailsShare float64 `json:"fails_share"`
}

func main() {
	var dials settings
	text, err := os.ReadFile("settings.json")
	if err == nil {
		err = json.Unmarshal(text, &dials)
	}
	if err != nil {
		log.Fatal(err)
	}
	slots := make(chan struct{}, max(dials.Slots, 1))
	http.HandleFunc("/quote/", func(w http.ResponseWriter, r *http.Request) {
		if dials.Slots > 0 {
			slots <- struct{}{}
			defer func() { <-slots }()
		}
		wait := dials.DelayMS
		if rand.Float64() < dials.TailShare {
			wait = dials.TailMS
		}
		time.Sleep(time.Duration(wait * float64(time.Millisecond)))
		if rand.Float64() < dials.FailsShare {
			http.Error(w, "try later", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, "%.2f", 1+rand.Float64())
	})
	log.Fatal(http.ListenAndServe(fmt.Sprintf("127.0.0.1:%d", dials.Port), nil))
}
