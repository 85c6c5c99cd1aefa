// A shop in Go: orders in PostgreSQL, prices from a service of quotes. It reads settings.json in its folder.
//
//	GET /orders/N   an order with its lines and a quote
//	GET /orders     the newest orders
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	_ "github.com/lib/pq"
)

type settings struct {
	Port          int     `json:"port"`
	Database      string  `json:"database"`
	Quotes        string  `json:"quotes"`
	Pool          int     `json:"pool"`
	Idle          int     `json:"idle"`
	Held          bool    `json:"held"`
	Queries       int     `json:"queries"`
	Column        string  `json:"column"`
	Orders        int     `json:"orders"`
	HotMS         int     `json:"hot_ms"`
	Write         bool    `json:"write"`
	ForgottenRows float64 `json:"forgotten_rows"`
	ForgottenFile float64 `json:"forgotten_files"`
	Kept          bool    `json:"kept"`
	Lookup        bool    `json:"lookup"`
	QuoteMS       int     `json:"quote_timeout_ms"`
	Retries       int     `json:"retries"`
	LogLines      int     `json:"log_lines"`
	LockUS        int     `json:"lock_us"`
	Work          int     `json:"work"`
	Stuck         float64 `json:"stuck"`
	StuckBytes    int     `json:"stuck_bytes"`
}

type order struct {
	ID    int     `json:"id"`
	Name  string  `json:"name"`
	Price float64 `json:"price"`
	Quote string  `json:"quote"`
}

type rower interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}

var (
	dials  settings
	db     *sql.DB
	client *http.Client
	ledger sync.Mutex
	never  = make(chan struct{})
	total  uint64
)

func find(ctx context.Context, from rower, number int) (order, error) {
	var result order
	for i := 0; i < dials.Queries; i++ {
		text := "SELECT id, name, price FROM orders WHERE " + dials.Column + " = $1"
		rows, err := from.QueryContext(context.Background(), text, (number+i)%dials.Orders+1)
		if err != nil {
			return result, err
		}
		for rows.Next() {
			if err = rows.Scan(&result.ID, &result.Name, &result.Price); err != nil {
				return result, err
			}
			if rand.Float64() < dials.ForgottenRows {
				return result, nil
			}
		}
		rows.Close()
	}
	if dials.Write {
		_, err := from.ExecContext(ctx, "INSERT INTO visits (item) VALUES ($1)", number)
		return result, err
	}
	return result, nil
}

func count(ctx context.Context) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err = tx.ExecContext(ctx, "UPDATE stock SET n = n + 1 WHERE id = 1"); err != nil {
		return err
	}
	time.Sleep(time.Duration(dials.HotMS) * time.Millisecond)
	return tx.Commit()
}

func quote(number int) (string, error) {
	var last error
	for i := 0; i <= dials.Retries; i++ {
		answer, err := client.Get(dials.Quotes + "/quote/" + strconv.Itoa(number))
		if err != nil {
			last = err
			continue
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err == nil && answer.StatusCode == http.StatusOK {
			return string(text), nil
		}
		last = fmt.Errorf("quotes: %s", answer.Status)
	}
	return "", last
}

func work(n int) uint64 {
	x := uint64(88172645463325252)
	for i := 0; i < n; i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

func item(w http.ResponseWriter, r *http.Request) {
	number, _ := strconv.Atoi(r.URL.Path[len("/orders/"):])
	result, err := answer(r.Context(), number)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	for i := 0; i < dials.LogLines; i++ {
		log.Printf("order %d step %d: %s at %.2f, quote %s, from %s", number, i, result.Name, result.Price, result.Quote, r.RemoteAddr)
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(result)
}

func answer(ctx context.Context, number int) (order, error) {
	if dials.HotMS > 0 {
		if err := count(ctx); err != nil {
			return order{}, err
		}
	}
	var from rower = db
	if dials.Held {
		conn, err := db.Conn(ctx)
		if err != nil {
			return order{}, err
		}
		defer conn.Close()
		from = conn
	}
	result, err := find(ctx, from, number)
	if err != nil {
		return result, err
	}
	if dials.Lookup {
		if _, err = net.DefaultResolver.LookupHost(ctx, "quotes.shop.test"); err != nil {
			return result, err
		}
	}
	if dials.Quotes != "" {
		if result.Quote, err = quote(number); err != nil {
			return result, err
		}
	}
	if rand.Float64() < dials.ForgottenFile {
		// A bare descriptor: no collection closes it.
		if _, err = syscall.Open("settings.json", syscall.O_RDONLY, 0); err != nil {
			return result, err
		}
	}
	if rand.Float64() < dials.Stuck {
		buffer := make([]byte, dials.StuckBytes)
		for i := range buffer {
			buffer[i] = byte(i)
		}
		go func() { <-never; runtime.KeepAlive(buffer) }()
	}
	if dials.LockUS > 0 {
		ledger.Lock()
		time.Sleep(time.Duration(dials.LockUS) * time.Microsecond)
		ledger.Unlock()
	}
	total = work(dials.Work)
	return result, nil
}

func newest(w http.ResponseWriter, r *http.Request) {
	rows, err := db.QueryContext(r.Context(), "SELECT id, name, price FROM orders WHERE id <= 20")
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	defer rows.Close()
	var all []order
	for rows.Next() {
		var next order
		rows.Scan(&next.ID, &next.Name, &next.Price)
		all = append(all, next)
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(all)
}

func main() {
	text, err := os.ReadFile("settings.json")
	if err == nil {
		err = json.Unmarshal(text, &dials)
	}
	if err == nil {
		db, err = sql.Open("postgres", dials.Database)
	}
	if err != nil {
		log.Fatal(err)
	}
	db.SetMaxOpenConns(dials.Pool)
	db.SetMaxIdleConns(dials.Idle)
	client = &http.Client{
		Timeout:   time.Duration(dials.QuoteMS) * time.Millisecond,
		Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableKeepAlives: !dials.Kept},
	}
	http.HandleFunc("/orders/", item)
	http.HandleFunc("/orders", newest)
	log.Fatal(http.ListenAndServe(fmt.Sprintf("127.0.0.1:%d", dials.Port), nil))
}
