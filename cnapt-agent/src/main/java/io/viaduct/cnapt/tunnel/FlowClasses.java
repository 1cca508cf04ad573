package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.classification.Application;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.classification.FlowIdentity;
import io.viaduct.cnapt.classification.OwnerLookup;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowState;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;

/// Gives each flow its class: at its first packet by protocol and ports, once more when the process
/// behind it is known. Owner: the data path's event loop.
final class FlowClasses {
  private final Classifier classifier;
  private final OwnerLookup owners;
  private final Executor loop;
  private long classified;
  private long reclassified;

  FlowClasses(Classifier classifier, OwnerLookup owners, Executor loop) {
    this.classifier = classifier;
    this.owners = owners;
    this.loop = loop;
  }

  /// Classifies a flow that has no class yet.
  void classify(FlowState flow) {
    Application application = classifier.classify(identity(flow), null);
    flow.attach(new FlowNote(application));
    flow.classify(application.serviceClass(), application.index());
    classified++;
    if (hasPorts(flow)) {
      owners.find(
          flow.protocol(),
          new InetSocketAddress(flow.deviceAddress(), flow.devicePort()),
          new InetSocketAddress(flow.remoteAddress(), flow.remotePort()),
          process -> loop.execute(() -> owned(flow, process)));
    }
  }

  private void owned(FlowState flow, String process) {
    if (flow.hasEnded() || !(flow.attachment() instanceof FlowNote note)) {
      return;
    }
    note.process = process;
    Application application = classifier.classify(identity(flow), process);
    if (application != note.application) {
      note.application = application;
      flow.classify(application.serviceClass(), application.index());
      reclassified++;
    }
  }

  private static FlowIdentity identity(FlowState flow) {
    return hasPorts(flow)
        ? new FlowIdentity(flow.protocol(), flow.devicePort(), flow.remotePort())
        : new FlowIdentity(flow.protocol(), 0, 0);
  }

  private static boolean hasPorts(FlowState flow) {
    return flow.protocol() == FlowKey.TCP || flow.protocol() == FlowKey.UDP;
  }

  /// Flows that got a class.
  long classified() {
    return classified;
  }

  /// Flows that got another one from their process.
  long reclassified() {
    return reclassified;
  }
}
