package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.classification.Application;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.classification.FlowIdentity;
import io.viaduct.cnapt.classification.OwnerLookup;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.wire.IpFields;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

/// Assigns the class of each flow: by protocol and ports at its first packet, and again when its
/// process is known. Owner: the data path's event loop.
final class FlowClasses {
  private Classifier classifier;
  private final OwnerLookup owners;
  private final Executor loop;
  private final boolean dials;
  private BiConsumer<FlowState, FlowNote> owned = (_, _) -> {};
  private long classified;
  private long reclassified;

  FlowClasses(Classifier classifier, OwnerLookup owners, Executor loop, TunnelRole role) {
    this.classifier = classifier;
    this.owners = owners;
    this.loop = loop;
    this.dials = role == TunnelRole.AGENT;
  }

  /// Sets what hears of each flow whose process has become known, after its class.
  void tell(BiConsumer<FlowState, FlowNote> listener) {
    owned = listener;
  }

  /// Uses another table from now on.
  ///
  /// @param next the table; it must have the same applications at the same indices as the former
  ///   one
  void use(Classifier next) {
    classifier = next;
  }

  /// Classifies a flow that has no class yet.
  void classify(FlowState flow) {
    Application application = classifier.classify(identity(flow), null);
    flow.attach(new FlowNote(application));
    flow.classify(application.serviceClass(), application.index());
    classified++;
    if (hasPorts(flow)) {
      var device = new InetSocketAddress(flow.deviceAddress(), flow.devicePort());
      var remote = new InetSocketAddress(flow.remoteAddress(), flow.remotePort());
      owners.find(
          flow.protocol(),
          dials ? device : remote,
          dials ? remote : device,
          process -> loop.execute(() -> owned(flow, process)));
    }
  }

  /// Returns the application of a flow by its first packet, as [#classify] will assign it.
  Application ofFirst(FlowKey packet) {
    boolean hasPorts = packet.protocol() == IpFields.TCP || packet.protocol() == IpFields.UDP;
    return classifier.classify(
        hasPorts
            ? new FlowIdentity(packet.protocol(), packet.sourcePort(), packet.destinationPort())
            : new FlowIdentity(packet.protocol(), 0, 0),
        null);
  }

  private void owned(FlowState flow, String process) {
    if (flow.hasEnded()
        || !(flow.attachment() instanceof FlowNote note)
        || process.equals(note.process)) {
      return;
    }
    note.process = process;
    Application application = classifier.classify(identity(flow), process);
    if (!application.equals(note.application)) {
      note.application = application;
      note.placement = null; // another line may decide
      flow.classify(application.serviceClass(), application.index());
      reclassified++;
    }
    owned.accept(flow, note);
  }

  static FlowIdentity identity(FlowState flow) {
    return hasPorts(flow)
        ? new FlowIdentity(flow.protocol(), flow.devicePort(), flow.remotePort())
        : new FlowIdentity(flow.protocol(), 0, 0);
  }

  private static boolean hasPorts(FlowState flow) {
    return flow.protocol() == IpFields.TCP || flow.protocol() == IpFields.UDP;
  }

  /// Returns the number of flows that got a class.
  long classified() {
    return classified;
  }

  /// Returns the number of flows that got another class because of their process.
  long reclassified() {
    return reclassified;
  }
}
