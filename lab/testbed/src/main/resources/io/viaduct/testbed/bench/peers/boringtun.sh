# boringtun: the same as wireguard-go in Rust.
program=boringtun-cli
arguments="-f --disable-drop-privileges -v error"
. "$peers/wireguard-go.sh"
