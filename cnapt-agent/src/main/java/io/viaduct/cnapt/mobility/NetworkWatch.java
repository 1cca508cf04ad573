package io.viaduct.cnapt.mobility;

import io.netty.channel.IoEventLoop;
import io.viaduct.host.netlink.NetlinkMonitor;
import io.viaduct.host.netlink.NetworkChange;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Hears of every change of network from the kernel and tells which of them concern the tunnel.
/// Owner: the data path's event loop.
public final class NetworkWatch implements AutoCloseable {
  /// Who wants to know; called on the data path's event loop.
  public interface Listener {
    /// Something has changed that may concern the path: probe now. Comes without any delay, before
    /// it is known where packets leave from now on.
    void networkMayHaveChanged();

    /// Packets leave from another address than before.
    ///
    /// @param cause `link`, `address` or `route`
    /// @param from interface and address; `nowhere` if there was no way
    /// @param to the same, now
    void moved(String cause, String from, String to);
  }

  private final IoEventLoop loop;
  private final int mark;
  private final NetworkView view;
  private final Supplier<@Nullable InetSocketAddress> peer;
  private final Listener listener;
  private @Nullable NetlinkMonitor monitor;
  private volatile @Nullable InetAddress local; // written by the event loop
  private volatile String described = "nowhere";
  private volatile String here = "nowhere"; // written by the event loop
  private volatile boolean known; // written by the event loop
  private long changes;

  /// @param tun name of our own interface, which is no network
  /// @param peer the SNAPT's address, null while there is none
  public NetworkWatch(
      IoEventLoop loop,
      String tun,
      int mark,
      Supplier<@Nullable InetSocketAddress> peer,
      Listener listener) {
    this.loop = loop;
    this.mark = mark;
    this.view = new NetworkView(tun);
    this.peer = peer;
    this.listener = listener;
  }

  /// Begins to listen.
  ///
  /// @throws SocketException if the kernel has no rtnetlink
  public void start() throws SocketException {
    monitor = NetlinkMonitor.start(loop, this::changed);
  }

  /// Looks where packets leave without waiting for a change: there is a new SNAPT.
  public void look() {
    look("route");
  }

  private void changed(NetworkChange change) {
    String cause = view.accept(change);
    here = view.here();
    if (cause == null) {
      return;
    }
    changes++;
    listener.networkMayHaveChanged();
    look(cause);
  }

  private void look(String cause) {
    InetSocketAddress to = peer.get();
    if (to == null) {
      return;
    }
    LocalAddress.towards(to, mark, loop, found -> found(cause, found));
  }

  private void found(String cause, @Nullable InetAddress found) {
    String from = described;
    InetAddress before = local;
    local = found;
    described = view.describe(found);
    if (!known) {
      known = true;
      return; // the first look is no move
    }
    if (!Objects.equals(before, found)) {
      listener.moved(cause, from, described);
    }
  }

  /// Where packets to the SNAPT leave now, for people. While there is none, or no way leads to it,
  /// where the device is; `nowhere` only if it has no address.
  public String described() {
    if (!known) {
      return here;
    }
    boolean cutOff = local == null && !here.equals("nowhere");
    return cutOff ? here + ", no way from there to the SNAPT" : described;
  }

  /// Messages of the kernel that were a change; any thread.
  public long changes() {
    return changes;
  }

  @Override
  public void close() {
    NetlinkMonitor listening = monitor;
    if (listening != null) {
      listening.close();
    }
  }
}
