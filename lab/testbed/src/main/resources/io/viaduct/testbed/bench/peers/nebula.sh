# Nebula; the far end is the lighthouse.
needs="nebula nebula-cert"
about() { echo "Nebula $(nebula -version | sed -n "s/^Version: //p"), AES-256-GCM, tun MTU 1300 (its default)"; }
keys() {
	cd "$work"
	nebula-cert ca -name ca
	nebula-cert sign -name near -ip "$inner_near/24"
	nebula-cert sign -name far -ip "$inner_far/24"
	configuration far "$tun_far" true "$port" ""
	configuration near "$tun_near" false 0 "\"$inner_far\""
}
configuration() {
	cat >"$work/$1.yml" <<-X
		pki: {ca: $work/ca.crt, cert: $work/$1.crt, key: $work/$1.key}
		static_host_map: {"$inner_far": ["$outer:$port"]}
		lighthouse: {am_lighthouse: $3, hosts: [$5]}
		listen: {host: 0.0.0.0, port: $4}
		punchy: {punch: true, respond: true}
		tun: {dev: $2, mtu: 1300}
		firewall:
		  outbound: [{port: any, proto: any, host: any}]
		  inbound: [{port: any, proto: any, host: any}]
	X
}
run() { exec nebula -config "$work/$1.yml"; }
up() { await ip link show dev "$tun"; }
