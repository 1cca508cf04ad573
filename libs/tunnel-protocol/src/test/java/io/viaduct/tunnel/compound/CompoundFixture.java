package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.wire.ServiceClass;

/// Makes closed compounds of a given length.
public final class CompoundFixture {
  private CompoundFixture() {}

  public static Compound of(ServiceClass serviceClass, int bytes) {
    Compound compound = new Compound(CompoundMemory.SMALL_BODY).begin(serviceClass);
    compound.length = bytes;
    return compound;
  }
}
