package io.viaduct.cnapt;

import io.netty.channel.IoEventLoop;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.links.LinkRules;
import io.viaduct.cnapt.mobility.NetworkWatch;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.cnapt.tunnel.DataPath;
import io.viaduct.service.reload.Reloading;

/// Applies what a running agent can change of its links, rules and classification. Each method
/// returns the change, to be run when the whole configuration is known to be right.
///
/// @param dataLoop owns data path and network watch
/// @param atStart the table of applications at the start
record LiveChanges(IoEventLoop dataLoop, NetworkWatch network, DataPath data, Classifier atStart) {
  Runnable links(LinkRules next) {
    return () -> dataLoop.execute(() -> network.links().use(next));
  }

  Runnable distribute(Policy next) {
    return () -> dataLoop.execute(() -> data.distribute(next));
  }

  /// On the wire, an application is an index into the list that the Hello has sent to the other
  /// end.
  Runnable classify(Classifier next) {
    return next.names().equals(atStart.names())
        ? () -> dataLoop.execute(() -> data.classify(next))
        : Reloading.AT_NEXT_START;
  }
}
