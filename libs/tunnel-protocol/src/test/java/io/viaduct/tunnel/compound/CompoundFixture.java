package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.ServiceClass;

/// Makes closed compounds of a given length.
public final class CompoundFixture {
  private CompoundFixture() {}

  public static Compound of(ServiceClass serviceClass, int bytes) {
    Compound compound = new Compound(CompoundMemory.SMALL_BODY).begin(serviceClass);
    compound.length = bytes;
    return compound;
  }

  /// Returns a compound with one packet of a flow.
  public static Compound of(ServiceClass serviceClass, FlowState flow, int bytes) {
    Compound compound = of(serviceClass, bytes);
    compound.account(flow, 1, bytes, bytes, 0);
    return compound;
  }
}
