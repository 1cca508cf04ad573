package io.viaduct.host.process;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/// Finds the process that owns the socket of a local flow. The kernel's tables in /proc give the
/// socket's inode, and a process owns the socket if one of its descriptors shows that inode.
///
/// A search reads files and takes milliseconds on a host with many processes, so run it off the
/// event loops, once per new flow. Any thread may call. Other users' processes are visible only
/// with CAP_SYS_PTRACE. A socket without a visible process has no owner.
public final class SocketOwners {
  /// Most remembered sockets. A search of all processes also remembers the other sockets that it
  /// finds.
  static final int REMEMBERED_MAX = 4096;

  private static final String SOCKET = "socket:[";

  private final Path proc;
  private final Path tables;
  private final AtomicLong unknownSockets = new AtomicLong();
  private final AtomicLong unknownProcesses = new AtomicLong();
  private final Map<Long, Holder> holders =
      new LinkedHashMap<>(256, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Holder> eldest) {
          return size() > REMEMBERED_MAX;
        }
      };

  /// Searches this host.
  public SocketOwners() {
    this(Path.of("/proc"), Path.of("/proc/thread-self/net"));
  }

  /// Searches other folders, for tests.
  ///
  /// @param tables folder of the socket lists of one network namespace
  SocketOwners(Path proc, Path tables) {
    this.proc = proc;
    this.tables = tables;
  }

  /// Returns the owner of a flow's socket.
  ///
  /// @param local the flow's end on this host
  /// @param remote the flow's other end
  /// @return empty if no socket fits, or no visible process owns it
  public Optional<SocketOwner> find(
      Transport transport, InetSocketAddress local, InetSocketAddress remote) {
    long inode;
    try {
      inode = SocketTable.inode(tables, transport, local, remote);
    } catch (IOException _) {
      inode = 0; // counted as an unknown socket below
    }
    if (inode == 0) {
      unknownSockets.incrementAndGet();
      return Optional.empty();
    }
    Optional<SocketOwner> owner = holder(inode);
    if (owner.isEmpty()) {
      unknownProcesses.incrementAndGet();
    }
    return owner;
  }

  /// Returns how often no socket fitted, because it was closed or is of another namespace.
  public long unknownSockets() {
    return unknownSockets.get();
  }

  /// Returns how often a socket had no visible process, because it ended or is another user's.
  public long unknownProcesses() {
    return unknownProcesses.get();
  }

  private synchronized Optional<SocketOwner> holder(long inode) {
    Holder known = holders.get(inode);
    if (known != null && known.stillHolds(inode)) {
      return Optional.of(known.owner);
    }
    holders.remove(inode);
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
      for (Path process : processes) {
        lookThrough(process);
      }
    } catch (IOException _) {
      return Optional.empty();
    }
    return Optional.ofNullable(holders.get(inode)).map(holder -> holder.owner);
  }

  private void lookThrough(Path process) {
    SocketOwner owner = null;
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
      for (Path descriptor : descriptors) {
        long inode = inodeOf(descriptor);
        if (inode != 0) {
          if (owner == null) {
            owner = ownerOf(process);
          }
          holders.put(inode, new Holder(owner, descriptor));
        }
      }
    } catch (IOException | java.nio.file.DirectoryIteratorException _) {
      return; // the process ended during the search, or is another user's
    }
  }

  private static SocketOwner ownerOf(Path process) throws IOException {
    String name = Files.readString(process.resolve("comm"), StandardCharsets.UTF_8).strip();
    return new SocketOwner(Integer.parseInt(process.getFileName().toString()), name);
  }

  private static long inodeOf(Path descriptor) {
    try {
      String target = Files.readSymbolicLink(descriptor).toString();
      if (target.startsWith(SOCKET) && target.endsWith("]")) {
        return Long.parseLong(target.substring(SOCKET.length(), target.length() - 1));
      }
      return 0;
    } catch (IOException | NumberFormatException _) {
      return 0; // closed during the search
    }
  }

  private record Holder(SocketOwner owner, Path descriptor) {
    private boolean stillHolds(long inode) {
      return inodeOf(descriptor) == inode;
    }
  }
}
