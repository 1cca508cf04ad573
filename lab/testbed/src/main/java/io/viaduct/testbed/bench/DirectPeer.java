package io.viaduct.testbed.bench;

import java.util.List;

/// The same path without a tunnel. The device uses a host route, which takes precedence over the
/// tunnel's default route.
final class DirectPeer implements Peer {
  static final String NAME = "direct";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Role role() {
    return Role.DIRECT;
  }

  @Override
  public String note() {
    return "no tunnel";
  }

  @Override
  public void start() {}

  @Override
  public String target() {
    return BenchNetwork.FAR;
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
  public void close() {}
}
