package io.viaduct.tunnel.compound;

/// Takes compounds that are complete and may be sealed.
@FunctionalInterface
public interface CompoundSink {
  /// Takes a closed compound, which the sink now owns.
  void closed(Compound compound, long nowNs);
}
