package io.viaduct.cnapt;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.netty.channel.IoEventLoop;
import io.viaduct.cnapt.classification.Applications;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.classification.OwnerLookup;
import io.viaduct.cnapt.egress.SilentLink;
import io.viaduct.cnapt.links.LinkMonitor;
import io.viaduct.cnapt.links.LinkRules;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.mobility.NetworkWatch;
import io.viaduct.cnapt.mobility.SleepWatch;
import io.viaduct.cnapt.operations.AgentStatus;
import io.viaduct.cnapt.operations.MobilityMeters;
import io.viaduct.cnapt.operations.PathMeters;
import io.viaduct.cnapt.operations.TunnelMeters;
import io.viaduct.cnapt.snapts.SnaptChoice;
import io.viaduct.cnapt.tunnel.DataPath;
import io.viaduct.cnapt.tunnel.DataPathListener;
import io.viaduct.cnapt.tunnel.DataStatus;
import io.viaduct.cnapt.tunnel.FlowRules;
import io.viaduct.cnapt.tunnel.LocalEnd;
import io.viaduct.host.tun.TunDevice;
import io.viaduct.host.tun.TunSettings;
import io.viaduct.service.operations.OperationsAction;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The parts of an agent that carry packets, whatever the other end is: TUN, data path, and the
/// watch of network and sleep. The thread that starts and stops the agent calls the methods; the
/// parts belong to the data loop.
final class HostTunnel implements NetworkWatch.Listener, AutoCloseable {
  /// The agent; called on the data loop.
  interface Owner {
    /// Returns an address of the other end, null while there is none.
    @Nullable InetSocketAddress peer();

    void linksChanged(List<UsableLink> now);

    /// Called when packets leave from another local address.
    ///
    /// @param from interface and address before; `nowhere` if there was no route
    /// @param to interface and address now
    void moved(String from, String to);

    /// Called when this host has slept, before the paths are probed.
    void woken(long sleptMs);
  }

  private final CnaptConfiguration configuration;
  private final AgentClock clock;
  private final IoEventLoop loop;
  private final Owner owner;
  private final long startedNs;
  private final HandoverRecorder recorder;
  private final OwnerLookup owners = new OwnerLookup();
  private final Classifier classifier; // the table at the start
  private final TunDevice tun;
  private final DataPath data;
  private final NetworkWatch network;

  /// Creates the TUN and the sockets. Carries no packets before [#start].
  ///
  /// @param loop the data loop
  /// @param listeners one for each other end
  /// @throws IOException if a resource is missing; the message names it and says what to do
  HostTunnel(
      CnaptConfiguration configuration,
      HandoverRecorder recorder,
      AgentClock clock,
      IoEventLoop loop,
      LocalEnd end,
      List<DataPathListener> listeners,
      Owner owner)
      throws IOException {
    this.configuration = configuration;
    this.clock = clock;
    this.loop = loop;
    this.owner = owner;
    this.startedNs = clock.nowNs();
    this.recorder = recorder;
    this.classifier = Applications.classifier(configuration.applications());
    FlowRules rules =
        new FlowRules(
            classifier,
            owners,
            AgentReload.policy("", configuration, classifier),
            new SnaptChoice(configuration.snapts()));
    this.tun = TunDevice.open(new TunSettings(configuration.tun().name(), 1));
    this.data =
        new DataPath(loop, clock.monotonic(), tun.queues().getFirst(), end, rules, listeners);
    LinkMonitor links =
        new LinkMonitor(
            loop, LinkRules.of(configuration.links()), data.links(), owner::linksChanged);
    this.network = new NetworkWatch(loop, tun.name(), end.mark(), owner::peer, this, links);
  }

  /// Starts to follow the network.
  ///
  /// @throws SocketException if the kernel has no rtnetlink
  void start() throws SocketException {
    network.start();
    SleepWatch sleep = new SleepWatch(clock.nowMs(), clock.nowNs());
    var unused =
        loop.scheduleWithFixedDelay(
            () -> woken(sleep.tick(clock.nowMs(), clock.nowNs())),
            SleepWatch.PERIOD_MS,
            SleepWatch.PERIOD_MS,
            TimeUnit.MILLISECONDS);
  }

  private void woken(long sleptMs) {
    if (sleptMs > 0) {
      data.awake();
      owner.woken(sleptMs);
    }
  }

  @Override
  public void networkMayHaveChanged() {
    data.networkChanged();
  }

  @Override
  public void moved(String cause, String from, String to) {
    recorder.networkMoved(cause, from, to);
    if (!to.equals("nowhere")) {
      data.networkChanged();
      owner.moved(from, to);
    }
  }

  DataPath data() {
    return data;
  }

  NetworkWatch network() {
    return network;
  }

  /// Returns the links that may carry the tunnel.
  List<UsableLink> links() {
    return network.links().links();
  }

  HandoverRecorder recorder() {
    return recorder;
  }

  /// Returns the table of applications at the start.
  Classifier classifier() {
    return classifier;
  }

  /// Returns the name of the TUN device.
  String tunName() {
    return tun.name();
  }

  // --- what is shown and changed while it runs

  /// Returns the meters of these parts.
  List<MeterBinder> meters() {
    return List.of(
        new TunnelMeters(data.carried(), data.counters(), owners),
        new MobilityMeters(recorder.handovers(), recorder.carriers()),
        new PathMeters(data.ends().size(), data.counters()));
  }

  /// Returns the status of the TUN.
  ///
  /// @param mtu its MTU in bytes
  AgentStatus.TunStatus tunStatus(int mtu) {
    return new AgentStatus.TunStatus(
        tun.name(), configuration.tun().ipv4(), configuration.tun().ipv6(), mtu);
  }

  /// Returns the status of the data path. Any thread except the data loop may call this.
  DataStatus status() {
    return loop.submit(data::status).syncUninterruptibly().getNow();
  }

  /// Returns the links that are up, and by which nothing has answered for some seconds. Any thread
  /// except the data loop may call this.
  List<SilentLink> silentLinks() {
    return SilentLinks.of(links(), loop.submit(data::paths).syncUninterruptibly().getNow());
  }

  long uptimeMs() {
    return (clock.nowNs() - startedNs) / 1_000_000;
  }

  /// Returns the answers to questions about flows, by their paths.
  Map<String, OperationsAction> actions() {
    return FlowQuestions.actions(loop, data);
  }

  /// Returns what the running agent can change.
  LiveChanges changes() {
    return new LiveChanges(loop, network, data, classifier);
  }

  /// Sends the packets that were read, and takes no more.
  void stop() {
    network.close();
    data.close();
    owners.close(); // it tells the data loop what it finds
  }

  /// Removes the TUN, after [#stop] and the end of the data loop.
  @Override
  public void close() {
    tun.close();
  }
}
