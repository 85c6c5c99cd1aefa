package main

import "fmt"

// product is one thing on sale.
type product struct {
	Number      int    `json:"number"`
	Name        string `json:"name"`
	PriceCents  int    `json:"price_cents"`
	Stock       int    `json:"stock"`
	Description string `json:"description"`
}

var (
	colours   = []string{"amber", "black", "blue", "copper", "cream", "green", "grey", "ivory", "red", "white"}
	materials = []string{"ash", "cotton", "glass", "leather", "linen", "oak", "steel", "stone", "walnut", "wool"}
	things    = []string{"bench", "bowl", "chair", "chest", "desk", "lamp", "shelf", "table"}
)

// products is a catalogue of 116 things: 17 kB as JSON, the size of a usual page of an API.
func products() []product {
	made := make([]product, 116)
	for n := range made {
		colour, material, thing := colours[n%10], materials[n/10%10], things[(n*7)%8]
		made[n] = product{
			Number:     n + 1,
			Name:       fmt.Sprintf("%s %s %s", colour, material, thing),
			PriceCents: 990 + (n*3_701)%20_000,
			Stock:      1 + (n*7)%40,
			Description: fmt.Sprintf("A %s made of %s, in %s; no. %x of a small series",
				thing, material, colour, (n+1)*2_654_435),
		}
	}
	return made
}

// price stands for the work of a real answer: n rounds of xorshift.
func price(n int) uint64 {
	x := uint64(88172645463325252)
	for i := 0; i < n; i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}
