package io.viaduct.tunnel.scheduling;

import io.viaduct.tunnel.compound.Compound;
import io.viaduct.tunnel.wire.ServiceClass;

/// Decides which class of a path sends next while more than one waits. The queues are the caller's;
/// an order keeps only what it needs to decide. Owned by the session's event loop.
public sealed interface ServiceOrder permits StrictPriority, MaxWeight {
  /// Returns the class whose first compound leaves next, as its place in priority order; −1 if
  /// nothing waits. Changes nothing.
  int next(ClassQueues queues);

  /// Takes the arrival of a compound in its queue.
  void added(Compound compound, long nowNs);

  /// Takes the departure of a class's first compound, which is no longer in the queues.
  ///
  /// @param bytes length of its body
  void taken(int serviceClass, int bytes, ClassQueues queues, long nowNs);

  /// Returns the share of the sent bytes that the class can rely on.
  ///
  /// @param standingNs a queue is standing if its first compound has waited longer than this
  /// @return above 0, up to 1
  double share(ServiceClass serviceClass, ClassQueues queues, long standingNs, long nowNs);
}
