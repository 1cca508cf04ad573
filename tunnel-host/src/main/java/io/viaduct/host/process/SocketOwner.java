package io.viaduct.host.process;

/// The process that holds a socket.
///
/// @param name as the kernel keeps it, at most 15 bytes (/proc/PID/comm)
public record SocketOwner(int pid, String name) {}
