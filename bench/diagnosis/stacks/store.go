// A store in Go: redis behind a pool of its own, and a service of rates; its numbers are in a file.
// It has pprof, as many have, and no profile of locks, as nobody has switched that on.
//
//	store SETTINGS
//	GET /item/N   a value from redis, a rate, and a body of JSON
//	GET /list     a value from redis
package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"
)

type settings struct {
	Port         int     `json:"port"`
	RedisPort    int     `json:"redis_port"`
	RedisRenewed float64 `json:"redis_renewed"`
	RedisList    int     `json:"redis_list"`
	RatesPort    int     `json:"rates_port"`
	Rounds       int     `json:"rounds"`
	Rows         int     `json:"rows"`
	GzipLevel    int     `json:"gzip_level"`
	LockUS       int     `json:"lock_us"`
	LiveMB       int     `json:"live_mb"`
	AllocateKB   int     `json:"allocate_kb"`
	GCPercent    int     `json:"gc_percent"`
	Procs        int     `json:"procs"`
	KeepBytes    int     `json:"keep_bytes"`
	MissRounds   int     `json:"miss_rounds"`
}

type row struct {
	ID    int     `json:"id"`
	Name  string  `json:"name"`
	Price float64 `json:"price"`
}

type node struct {
	next *node
	text [6]int
}

var (
	dials  settings
	shared sync.Mutex
	kept   [][]byte
	keptMu sync.Mutex
	live   []*node
	rows   []row
	idle   = make(chan net.Conn, 256)
	client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}
)

func work(n int) uint64 {
	x := uint64(88172645463325252)
	for i := 0; i < n; i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// ask sends one command to redis and reads its answer.
func ask(words ...string) (string, error) {
	var conn net.Conn
	var err error
	isNew := rand.Float64() < dials.RedisRenewed
	select {
	case conn = <-idle:
	default:
	}
	if conn == nil || isNew {
		if conn != nil {
			idle <- conn
		}
		if conn, err = net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", dials.RedisPort)); err != nil {
			return "", err
		}
	}
	fmt.Fprintf(conn, "*%d\r\n", len(words))
	for _, word := range words {
		fmt.Fprintf(conn, "$%d\r\n%s\r\n", len(word), word)
	}
	found, err := answer(bufio.NewReader(conn))
	if isNew || err != nil {
		conn.Close()
	} else {
		select {
		case idle <- conn:
		default:
			conn.Close()
		}
	}
	return found, err
}

func answer(from *bufio.Reader) (string, error) {
	line, err := from.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimRight(line, "\r\n")
	n, _ := strconv.Atoi(line[1:])
	switch line[0] {
	case '$':
		if n < 0 {
			return "", nil
		}
		text := make([]byte, n+2)
		_, err = io.ReadFull(from, text)
		return string(text[:n]), err
	case '*':
		all := ""
		for i := 0; i < n; i++ {
			one, err := answer(from)
			if err != nil {
				return "", err
			}
			all += one
		}
		return all, nil
	}
	return line[1:], nil
}

func value(number int) (string, error) {
	if dials.RedisList > 0 {
		return ask("SORT", "feed", "BY", "nothing_*", "LIMIT", "0", "1", "GET", "#")
	}
	key := fmt.Sprintf("item:%d", number%1000)
	found, err := ask("GET", key)
	if err == nil && found == "" && dials.MissRounds > 0 {
		work(dials.MissRounds)
		found = strings.Repeat("v", 200)
		_, err = ask("SET", key, found)
	}
	return found, err
}

func item(w http.ResponseWriter, r *http.Request) {
	number, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/item/"))
	if _, err := value(number); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if dials.RatesPort > 0 {
		said, err := client.Get(fmt.Sprintf("http://127.0.0.1:%d/rate", dials.RatesPort))
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		io.Copy(io.Discard, said.Body)
		said.Body.Close()
	}
	if dials.LockUS > 0 {
		shared.Lock()
		time.Sleep(time.Duration(dials.LockUS) * time.Microsecond)
		shared.Unlock()
	}
	if dials.KeepBytes > 0 {
		keptMu.Lock()
		kept = append(kept, make([]byte, dials.KeepBytes))
		for i := range kept[len(kept)-1] {
			kept[len(kept)-1][i] = 1
		}
		keptMu.Unlock()
	}
	if dials.AllocateKB > 0 {
		garbage := make([]*node, 0, 8)
		for i := 0; i < dials.AllocateKB*1024/64; i++ {
			garbage = append(garbage[:i%8], &node{})
		}
		runtime.KeepAlive(garbage)
	}
	work(dials.Rounds)
	w.Header().Set("Content-Type", "application/json")
	var out io.Writer = w
	if dials.GzipLevel != 0 && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		packed, _ := gzip.NewWriterLevel(w, dials.GzipLevel)
		defer packed.Close()
		out = packed
	}
	json.NewEncoder(out).Encode(rows)
}

func list(w http.ResponseWriter, r *http.Request) {
	if _, err := value(1); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	work(dials.Rounds)
	fmt.Fprintln(w, `{"items": []}`)
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = json.Unmarshal(text, &dials)
	}
	if err != nil {
		panic(err)
	}
	if dials.Procs > 0 {
		runtime.GOMAXPROCS(dials.Procs)
	}
	if dials.GCPercent > 0 {
		debug.SetGCPercent(dials.GCPercent)
	}
	for i := 0; i < dials.LiveMB*1024*1024/64; i++ {
		one := &node{}
		if i > 0 {
			one.next = live[i-1]
		}
		live = append(live, one)
	}
	for i := 0; i < dials.Rows; i++ {
		rows = append(rows, row{i, fmt.Sprintf("a lamp of walnut, number %d of the series", i*7919), float64(i) * 1.37})
	}
	http.HandleFunc("/item/", item)
	http.HandleFunc("/list", list)
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", dials.Port))
	if err != nil {
		panic(err)
	}
	fmt.Printf("listening on %d\n", listener.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(listener, nil))
}
