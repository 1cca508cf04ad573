package io.viaduct.testbed.bench;

import io.viaduct.testbed.topology.Topology;
import java.util.List;

/// The same path without a tunnel: the server's second address, which the device reaches by a host
/// route through gateway A.
final class DirectPeer implements Peer {
  private final Topology topology;

  DirectPeer(Topology topology) {
    this.topology = topology;
  }

  @Override
  public String name() {
    return "no tunnel";
  }

  @Override
  public void start() {
    topology.passTunnelBy();
  }

  @Override
  public String target() {
    return Topology.SERVER_BESIDE;
  }

  @Override
  public List<Long> clientProcesses() {
    return List.of();
  }

  @Override
  public List<Long> serverProcesses() {
    return List.of();
  }

  @Override
  public void close() {}
}
