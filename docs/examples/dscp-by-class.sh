#!/usr/bin/env bash
# Marks the packets of each flow with a DSCP by its class: an example of a reader of the routing hook.
#
#   cnapt events --config /etc/viaduct/cnapt.yml | docs/examples/dscp-by-class.sh
#
# Flows of low delay get EF (46), low throughput of high delay gets AF11 (10), all others CS1 (8). The marks stand in the
# inner packets, so the networks behind the SNAPT see them. Needs nft and CAP_NET_ADMIN. The table goes with the script.
set -euo pipefail
table=viaduct_dscp

nft -f - <<RULES
table inet $table
delete table inet $table
table inet $table {
	map ipv4 { type inet_proto . inet_service . ipv4_addr . inet_service : verdict; }
	map ipv6 { type inet_proto . inet_service . ipv6_addr . inet_service : verdict; }
	chain low_delay { ip dscp set ef; ip6 dscp set ef; }
	chain low_throughput { ip dscp set af11; ip6 dscp set af11; }
	chain rest { ip dscp set cs1; ip6 dscp set cs1; }
	chain out {
		type route hook output priority mangle;
		meta l4proto . th sport . ip daddr . th dport vmap @ipv4
		meta l4proto . th sport . ip6 daddr . th dport vmap @ipv6
	}
}
RULES
trap 'nft delete table inet $table' EXIT

# Prints the value of a member of a line: "name":"text" or "name":number.
member() {
	local pattern="\"$2\":\"?([^\",}]*)"
	if [[ $1 =~ $pattern ]]; then printf '%s' "${BASH_REMATCH[1]}"; fi
}

declare -A keys   # by id: the map and the key of the flow's element
declare -A owners # by this key: the id whose element it is, because a flow may follow another one of the same addresses and ports

mark() { # id class
	local chain=rest
	case $2 in
	*_LD) chain=low_delay ;;
	LT_HD) chain=low_throughput ;;
	esac
	remove "$1"
	owners[${keys[$1]}]=$1
	nft add element inet "$table" ${keys[$1]/ / \{ } : jump "$chain" \}
}

remove() { # id
	nft delete element inet "$table" ${keys[$1]/ / \{ } \} 2>/dev/null || true
}

forget() { # id
	if [[ ${owners[${keys[$1]}]:-} == "$1" ]]; then
		remove "$1"
		unset "owners[${keys[$1]}]"
	fi
	unset "keys[$1]"
}

while read -r line; do
	id=$(member "$line" id)
	case $(member "$line" event) in
	flow)
		protocol=$(member "$line" protocol)
		remote=$(member "$line" remote)
		case $protocol in 6 | 17) ;; *) continue ;; esac
		case $remote in *:*) map=ipv6 ;; *) map=ipv4 ;; esac
		keys[$id]="$map $protocol . $(member "$line" localPort) . $remote . $(member "$line" remotePort)"
		mark "$id" "$(member "$line" serviceClass)"
		;;
	class) if [[ -v keys[$id] ]]; then mark "$id" "$(member "$line" serviceClass)"; fi ;;
	end) if [[ -v keys[$id] ]]; then forget "$id"; fi ;;
	esac
done
