package io.viaduct.testbed.bench;

import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.Connections;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/// Multipath TCP of the kernel with an endpoint on each link: no tunnel, one TCP connection.
final class MptcpPeer implements Peer {
  static final String NAME = "mptcp";

  private static final int OTHER_ID = 3; // of the endpoint with another address on link A
  private static final Path ENABLED = Path.of("/proc/sys/net/mptcp/enabled");

  /// Endpoint of a link.
  private enum Endpoint {
    A(1, "10.71.1.2"),
    B(2, "10.71.2.2");

    private final int id;
    private final String address;

    Endpoint(int id, String address) {
      this.id = id;
      this.address = address;
    }
  }

  private final BenchNetwork network;
  private boolean isStarted;
  private boolean isBonding;

  MptcpPeer(BenchNetwork network) {
    this.network = network;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Role role() {
    return Role.PEER;
  }

  @Override
  public String note() {
    return "TCP messages over Multipath TCP of the kernel, link B is the backup except for bulk, no daemon acts on events, no encryption";
  }

  @Override
  public void start() throws IOException {
    if (!network.device().call(() -> Files.exists(ENABLED))) {
      throw new IllegalStateException("the kernel has no MPTCP (CONFIG_MPTCP)");
    }
    isStarted = true;
    for (var end : List.of(network.device(), network.far())) {
      end.sysctl("net.mptcp.enabled", "1");
      end.ip("mptcp limits set subflow 4 add_addr_accepted 4");
    }
    for (Endpoint each : Endpoint.values()) {
      add(each);
    }
  }

  // The kernel uses a backup while no other subflow works.
  private void add(Endpoint link) {
    String flag = link == Endpoint.B && !isBonding ? " backup" : "";
    endpoint("add %s dev link%s id %d subflow%s".formatted(link.address, link, link.id, flag));
  }

  private void endpoint(String words) {
    network.device().ip("mptcp endpoint " + words);
  }

  @Override
  public String target() {
    return Topology.SNAPT_1;
  }

  @Override
  public StreamEnds open(BenchNetwork over, int port) {
    var to = new InetSocketAddress(target(), port);
    MptcpSocket listener = over.far().call(() -> MptcpSocket.listen(to));
    CompletableFuture<MptcpEnd> far = over.far().start("accept", () -> MptcpEnd.accept(listener));
    StreamEnd near = over.device().call(() -> MptcpEnd.connect(to));
    return new StreamEnds(near, far.join());
  }

  @Override
  public boolean canBond() {
    return true;
  }

  /// Makes link B a backup, or not, for connections that are opened afterwards.
  @Override
  public void bond(boolean isWanted) {
    isBonding = isWanted;
    endpoint("change id %d %s".formatted(Endpoint.B.id, isWanted ? "nobackup" : "backup"));
  }

  @Override
  public Connections connections() {
    return new MptcpConnections();
  }

  /// Swaps the backup.
  @Override
  public void leaveLinkA(BenchNetwork over) {
    endpoint("change id %d nobackup".formatted(Endpoint.B.id));
    endpoint("change id %d backup".formatted(Endpoint.A.id));
  }

  @Override
  public void returnToLinkA(BenchNetwork over) {
    endpoint("change id %d nobackup".formatted(Endpoint.A.id));
    endpoint("change id %d backup".formatted(Endpoint.B.id));
  }

  /// Makes the link's endpoint anew, because the kernel opens subflows only when an endpoint comes.
  @Override
  public void onLinkUp(BenchNetwork over, String link) {
    for (Endpoint each : Endpoint.values()) {
      if (each.name().equals(link)) {
        endpoint("delete id " + each.id);
        add(each);
      }
    }
  }

  /// Returns true if a connection that is open has a subflow on each of several links.
  @Override
  public boolean isReadyBy(List<String> links) {
    long with = Stream.of(Endpoint.values()).filter(this::hasSubflow).count();
    return links.size() == 1 || with == 0 || with == Endpoint.values().length;
  }

  private boolean hasSubflow(Endpoint link) {
    return !network
        .device()
        .run("ss", "-Htn", "state", "established", "src", link.address, "dst", target())
        .isEmpty();
  }

  /// Replaces the endpoint on link A.
  @Override
  public void onNewAddress(String former, String now) {
    boolean isBack = now.equals(Endpoint.A.address);
    int id = isBack ? Endpoint.A.id : OTHER_ID;
    endpoint("add %s dev linkA id %d subflow".formatted(now, id));
    endpoint("delete id " + (isBack ? OTHER_ID : Endpoint.A.id));
  }

  @Override
  public void stopNear() {}

  @Override
  public void startNear() {}

  @Override
  public List<Long> nearProcesses() {
    return List.of();
  }

  @Override
  public List<Long> farProcesses() {
    return List.of();
  }

  @Override
  public void close() {
    if (isStarted) {
      endpoint("flush");
    }
    isStarted = false;
  }
}
