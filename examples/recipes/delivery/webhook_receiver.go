// A receiver of Standard Webhooks that needs Go only. Run it: WEBHOOK_SECRET=whsec_... PORT=3000 go run webhook_receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// #region verify
// verify returns whether the body has a signature of the secret that is less than 5 minutes old.
func verify(secret string, header http.Header, body []byte) bool {
	id, sentAt := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(sentAt, 10, 64)
	key, keyErr := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || keyErr != nil || math.Abs(float64(time.Now().Unix()-seconds)) > 300 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, sentAt, body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(signature), []byte(expected)) {
			return true
		}
	}
	return false
}

// #endregion

var (
	mutex   sync.Mutex
	handled = map[string]bool{} // in production: a table with a unique id, in the transaction of the work
)

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	var event struct {
		Data struct{ Session struct{ Reference string } }
	}
	if err != nil || !verify(os.Getenv("WEBHOOK_SECRET"), r.Header, body) || json.Unmarshal(body, &event) != nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	mutex.Lock()
	defer mutex.Unlock()
	if id := r.Header.Get("webhook-id"); !handled[id] {
		fmt.Println(event.Data.Session.Reference)
		handled[id] = true
	}
	w.WriteHeader(http.StatusNoContent)
}

func main() {
	port, secret := os.Getenv("PORT"), os.Getenv("WEBHOOK_SECRET")
	if port == "" || secret == "" {
		log.Fatal("Set PORT and WEBHOOK_SECRET.")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, http.HandlerFunc(receive)))
}
