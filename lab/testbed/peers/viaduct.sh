# Viaduct as a peer of a benchmark of tunnels: all of it runs, billing, bridge and pages too, in the
# server's namespace; only SNAPT and agent count as the tunnel. Copy this file to where the benchmark keeps
# its peers, and set VIADUCT_HOME to a clone that is built. Needs openssl, python3, Java 25.
#
# The benchmark sources it in bash, and gives NS_C NS_S SERVER_IP INNER_S WORK and the functions in_s,
# spawn_c, spawn_s, wait_for. Billing, bridge and pages live until the benchmark ends (they are no part of
# the tunnel and take a while to start), SNAPT and agent as long as a measurement.
: "${VIADUCT_HOME:?set VIADUCT_HOME to the clone of Viaduct}"
: "${VIADUCT_JAVA_OPTIONS:=-XX:+UseSerialGC -XX:-UsePerfData}" "${VIADUCT_AGENT:=}" "${VIADUCT_SNAPT:=}"
PEER_NOTE="AES-GCM, compression, metering, NAPT, token by SIP; billing, bridge and pages running"
PEER_PROTO=tcp # the SNAPT translates: nobody reaches a device that has not asked
PEER_SETTLE=2

viaduct_keys() ( # in a shell of its own: umask and directory
	[ ! -e "$WORK/ca.pem" ] || return 0
	umask 077
	cd "$WORK" || return 1
	openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ca.key
	openssl req -x509 -new -key ca.key -days 30 -subj /CN=bench -out ca.pem
	for name in danum-billing ims-bridge snapt-1; do
		extension=$(printf 'subjectAltName=IP:%s,DNS:%s' "$SERVER_IP" "$name")
		openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out $name.key
		openssl req -new -key $name.key -subj "/CN=$name" -out $name.csr
		openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -out $name.pem \
			-extfile <(echo "$extension") 2>/dev/null
	done
	for name in report device token; do openssl genpkey -quiet -algorithm ED25519 -out $name.key; done
	for name in alice operator rest; do openssl rand -hex 12 >$name.secret; done
)

viaduct_tls() { echo "tls: {certificate: $WORK/$1.pem, private-key: $WORK/$1.key, trust: $WORK/ca.pem}"; }

viaduct_control_configuration() {
	mkdir -p "$WORK/postgres" "$WORK/snapt-1" "$VIADUCT_HOME/build/postgres"
	ln -sfn "$VIADUCT_HOME/build/postgres" "$WORK/postgres/binaries" # unpacked once
	cat >"$WORK/danum-billing.yml" <<-X
		rest: {host: $SERVER_IP, port: 8082}
		grpc: {host: $SERVER_IP, port: 9443, peers: [ims-bridge]}
		$(viaduct_tls danum-billing)
		operations: {host: 127.0.0.1, port: 9182}
		database: {data-directory: $WORK/postgres}
		operator: {user: operator, password-file: $WORK/operator.secret}
		sip-domain: ims.test
		credentials: {key-file: $WORK/credential.key}
		snapts: [{id: snapt-1, report-key: "$(openssl pkey -in "$WORK/report.key" -pubout -outform DER | tail -c 32 | base64)", owner: bench, region: core}]
	X
	cat >"$WORK/ims-bridge.yml" <<-X
		domain: ims.test
		sip: {port: 5060}
		grpc: {host: $SERVER_IP, port: 7443}
		rest: {host: $SERVER_IP, port: 8081, token-file: $WORK/rest.secret}
		billing: {host: $SERVER_IP, port: 9443}
		$(viaduct_tls ims-bridge)
		token: {signing-key: $WORK/token.key, audience: viaduct}
		state: $WORK/ims-bridge
		operations: {host: 127.0.0.1, port: 9181}
	X
	cat >"$WORK/webgui.yml" <<-X
		http: {host: $SERVER_IP, port: 8080}
		billing: {url: "http://$SERVER_IP:8082"}
		bridge: {url: "http://$SERVER_IP:8081", token-file: $WORK/rest.secret}
		operations: {host: 127.0.0.1, port: 9104}
	X
}

viaduct_tunnel_configuration() {
	cat >"$WORK/snapt.yml" <<-X
		id: snapt-1
		audience: viaduct
		region: core
		state: $WORK/snapt-1
		socket: $WORK/snapt.sock
		$(viaduct_tls snapt-1)
		control: {host: $SERVER_IP, port: 443}
		data: {port: 443}
		pool: {ipv4: 10.201.0.0/16}
		egress: {deny-private: false, allow: ["$INNER_S/32"]} # the benchmark's far end is the SNAPT itself
		reporting: {bridge-host: $SERVER_IP, bridge-port: 7443, report-key: $WORK/report.key, status-every: 1s}
		$VIADUCT_SNAPT
	X
	cat >"$WORK/cnapt.yml" <<-X
		device-key: $WORK/device.key
		trust: $WORK/ca.pem
		signalling: {bridge: $SERVER_IP, port: 5060, domain: ims.test, user: alice, password-file: $WORK/alice.secret}
		state: $WORK/cnapt
		status-socket: $WORK/cnapt.sock
		$VIADUCT_AGENT
	X
}

viaduct_ready() { # port of the operations endpoint, in the server's namespace
	in_s python3 -c 'import sys, urllib.request
urllib.request.urlopen("http://127.0.0.1:%s/readyz" % sys.argv[1], timeout=2)' "$1"
}

# An account with money in it: a relay that is not paid for is not the real thing.
viaduct_account() {
	in_s python3 - "$WORK" "http://$SERVER_IP:8082/api/v1" <<-'X'
		import json, sys, urllib.request
		work, base = sys.argv[1:]
		secret = lambda name: open(work + "/" + name + ".secret").read().strip()
		def post(path, body, **headers):
		    request = urllib.request.Request(base + path, json.dumps(body).encode(), headers)
		    request.add_header("Content-Type", "application/json")
		    return json.load(urllib.request.urlopen(request, timeout=10))
		token = post("/sessions", {"user": "operator", "password": secret("operator")})["token"]
		bearer = {"Authorization": "Bearer " + token}
		post("/accounts", {"id": "alice", "password": secret("alice"), "role": "user", "displayName": "Alice"}, **bearer)
		post("/accounts/alice/top-ups", {"amountMicrodenarii": "1000000000000", "reference": "bench"},
		     **bearer, **{"Idempotency-Key": "bench"})
	X
}

viaduct_control() { # started once; the benchmark's end stops it
	local name
	[ ! -e "$WORK/control.up" ] || return 0
	# Services start faster once they have learned from a run.
	compgen -G "$VIADUCT_HOME/build/start/cnapt-agent-*.aot" >/dev/null || "$VIADUCT_HOME/viaduct" train >&2 || true
	viaduct_keys && viaduct_control_configuration || return 1
	for name in danum-billing ims-bridge webgui; do
		JAVA_OPTIONS="$VIADUCT_JAVA_OPTIONS -XX:TieredStopAtLevel=1 -Xmx384m" ip netns exec "$NS_S" \
			"$VIADUCT_HOME/bin/$name" run --config "$WORK/$name.yml" >>"$WORK/$name.log" 2>&1 </dev/null &
		echo $! | tee -a "$WORK/control.pids" >>"$WORK/../pids"
	done
	wait_for 150 viaduct_ready 9182 && wait_for 60 viaduct_ready 9181 && wait_for 60 viaduct_ready 9104 || return 1
	viaduct_account && touch "$WORK/control.up"
}

viaduct_ipv6() { # 0|1: whether new interfaces refuse IPv6; both TUN devices have addresses of both kinds
	in_s sysctl -qw net.ipv6.conf.default.disable_ipv6="$1"
	in_c sysctl -qw net.ipv6.conf.default.disable_ipv6="$1"
}

peer_start_server() {
	viaduct_control || return 1
	viaduct_tunnel_configuration
	in_s ip addr replace "$INNER_S/32" dev lo # no way leads there but the tunnel
	viaduct_ipv6 0
	spawn_s env JAVA_OPTIONS="$VIADUCT_JAVA_OPTIONS" "$VIADUCT_HOME/bin/snapt" run --config "$WORK/snapt.yml"
	wait_for 60 viaduct_ready 9464
}
peer_start_client() {
	spawn_c env JAVA_OPTIONS="$VIADUCT_JAVA_OPTIONS" "$VIADUCT_HOME/bin/cnapt" up --config "$WORK/cnapt.yml"
}
peer_stop() {
	in_s ip addr del "$INNER_S/32" dev lo
	viaduct_ipv6 1
}
