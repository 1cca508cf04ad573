# OpenVPN that compresses each packet.
extra="--allow-compression yes --compress lz4"
. "$peers/openvpn.sh"
