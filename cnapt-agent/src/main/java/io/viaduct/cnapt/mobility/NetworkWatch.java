package io.viaduct.cnapt.mobility;

import io.netty.channel.IoEventLoop;
import io.viaduct.cnapt.links.LinkMonitor;
import io.viaduct.host.netlink.NetlinkMonitor;
import io.viaduct.host.netlink.NetworkChange;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Receives changes of network from the kernel, and reports those that concern the tunnel. Owner:
/// the data path's event loop.
public final class NetworkWatch implements AutoCloseable {
  /// Receives changes; called on the data path's event loop.
  public interface Listener {
    /// Called at once for a change that may concern the path, before the new local address is
    /// known. The listener must send a probe.
    void networkMayHaveChanged();

    /// Called when packets leave from another local address.
    ///
    /// @param cause `link`, `address` or `route`
    /// @param from interface and address before; `nowhere` if there was no route
    /// @param to interface and address now
    void moved(String cause, String from, String to);
  }

  private final IoEventLoop loop;
  private final int mark;
  private final NetworkView view;
  private final Supplier<@Nullable InetSocketAddress> peer;
  private final Listener listener;
  private final LinkMonitor links;
  private Consumer<NetworkChange> also = _ -> {}; // written before the start
  private @Nullable NetlinkMonitor monitor;
  private volatile @Nullable InetAddress local; // written by the event loop
  private volatile String described = "nowhere";
  private volatile String here = "nowhere"; // written by the event loop
  private volatile boolean known; // written by the event loop
  private long changes;
  private @Nullable String pendingCause; // of the first change since the last Settled

  /// @param tun name of the agent's own interface, which is ignored
  /// @param peer the SNAPT's address, null while there is none
  /// @param links shown each view of the links; closed with this watch
  public NetworkWatch(
      IoEventLoop loop,
      String tun,
      int mark,
      Supplier<@Nullable InetSocketAddress> peer,
      Listener listener,
      LinkMonitor links) {
    this.loop = loop;
    this.mark = mark;
    this.view = new NetworkView(tun);
    this.peer = peer;
    this.listener = listener;
    this.links = links;
  }

  /// Starts to listen.
  ///
  /// @throws SocketException if the kernel has no rtnetlink
  public void start() throws SocketException {
    monitor = NetlinkMonitor.start(loop, this::changed);
  }

  /// Updates the local address without a change of network, because there is a new SNAPT.
  public void look() {
    look("route");
  }

  /// Passes each message of the kernel on, too. To be called before the start.
  public void alsoTell(Consumer<NetworkChange> other) {
    also = other;
  }

  void changed(NetworkChange change) {
    also.accept(change);
    String cause = view.accept(change);
    if (cause != null) {
      changes++;
      pendingCause = pendingCause == null ? cause : pendingCause;
    }
    if (change instanceof NetworkChange.Settled) {
      settled();
    }
  }

  // A burst is seen as a whole. A woken device reads that its links went down and came up again:
  // its sockets go on, and the SNAPT need not check new ones.
  private void settled() {
    here = view.here();
    if (view.isComplete()) {
      links.attached(view.attached());
    }
    String cause = pendingCause;
    if (cause != null) {
      pendingCause = null;
      listener.networkMayHaveChanged();
      look(cause);
    }
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
      return; // the first look-up is not a change
    }
    if (!Objects.equals(before, found)) {
      listener.moved(cause, from, described);
    }
  }

  /// Returns a text for the local address of packets to the SNAPT. Without a SNAPT or a route to
  /// it, returns the location of the device, or `nowhere` if the device has no address.
  public String described() {
    if (!known) {
      return here;
    }
    boolean cutOff = local == null && !here.equals("nowhere");
    return cutOff ? here + ", no way from there to the SNAPT" : described;
  }

  /// Returns the links that may carry the tunnel.
  public LinkMonitor links() {
    return links;
  }

  /// Returns the number of kernel messages that were a change; any thread may call this.
  public long changes() {
    return changes;
  }

  @Override
  public void close() {
    NetlinkMonitor listening = monitor;
    if (listening != null) {
      listening.close();
    }
    links.close();
  }
}
