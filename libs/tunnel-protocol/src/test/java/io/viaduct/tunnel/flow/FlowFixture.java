package io.viaduct.tunnel.flow;

/// Makes flows that are in no table.
public final class FlowFixture {
  private FlowFixture() {}

  public static FlowState of(int id) {
    return new FlowState(id, 0, id, 0, 1, id << 16 | 443, 6, 0);
  }
}
