package io.viaduct.tunnel.flow;

import io.viaduct.tunnel.wire.IpFields;

/// Makes flows that are in no table.
public final class FlowFixture {
  private FlowFixture() {}

  public static FlowState of(int id) {
    return of(id, IpFields.TCP);
  }

  public static FlowState of(int id, int protocol) {
    return new FlowState(id, 0, id, 0, 1, id << 16 | 443, protocol, 0);
  }
}
