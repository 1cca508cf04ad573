package io.viaduct.host.process;

/// The process that owns a socket.
///
/// @param name the kernel's short name, at most 15 bytes (/proc/PID/comm)
public record SocketOwner(int pid, String name) {}
