package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBufUtil;
import io.netty.channel.IoEventLoop;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.MockTicker;
import io.viaduct.cnapt.classification.Applications;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.classification.OwnerLookup;
import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.mobility.MobilitySettings;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.cnapt.policy.PolicyRules;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.session.LoopMemory;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.tunnel.wire.ServiceClass;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// Ends of tunnels on one event loop, without a TUN device. What they tell this host is kept.
public final class EndRig implements AutoCloseable {
  private static final EndRole.Dialling ROLE =
      new EndRole.Dialling(
          new MobilitySettings(
              Duration.ofMillis(300), Duration.ofSeconds(25), Duration.ofMillis(20), 4),
          null,
          () -> true);

  final LoopMemory memory = LoopbackPaths.memory();
  private final LongSupplier nanoTime;
  final Carried carried = new Carried();
  final List<String> answered = new ArrayList<>();
  final HostRefusals refusals =
      new HostRefusals((_, packet) ->
          answered.add(ByteBufUtil.hexDump(packet.buffer(), packet.start(), packet.length())));
  final IoEventLoop loop;
  private final OwnerLookup owners = new OwnerLookup();
  private final Classifier classifier = Applications.classifier(Optional.empty());
  final FlowClasses classes;
  private final List<TunnelEnd> ends = new ArrayList<>();
  private volatile Runnable onChange = () -> {};

  /// At time 0.
  EndRig() {
    this(() -> 0);
  }

  EndRig(LongSupplier nanoTime) {
    this(new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory()).next(), nanoTime);
  }

  /// On the calling thread, by this clock: nothing is due before [#passMs].
  public EndRig(MockTicker clock) {
    this(
        new ManualIoEventLoop(null, Thread.currentThread(), EpollIoHandler.newFactory(), clock),
        clock::nanoTime);
  }

  private EndRig(IoEventLoop loop, LongSupplier nanoTime) {
    this.loop = loop;
    this.nanoTime = nanoTime;
    this.classes = new FlowClasses(classifier, owners, loop, TunnelRole.AGENT);
  }

  /// Returns the built-in policy.
  Policy policy() {
    return Policy.of(List.of(), classifier);
  }

  /// Returns a policy of one line, in YAML.
  Policy policy(String line) throws IOException {
    Path file = Files.createTempFile("policy", ".yml");
    Files.writeString(file, "policy: [" + line + "]\n");
    try {
      return Policy.of(ConfigurationFile.load(file, PolicyRules.class).policy(), classifier);
    } finally {
      Files.delete(file);
    }
  }

  /// Sets what is run when a session begins or ends, or the state of a SNAPT changes.
  void onChange(Runnable run) {
    onChange = run;
  }

  private void changed() {
    onChange.run();
  }

  <T> T on(Callable<T> work) throws Exception {
    return loop.inEventLoop() ? work.call() : loop.submit(work).get();
  }

  /// Lets time pass, and runs what is due then.
  public void passMs(MockTicker clock, long ms) {
    clock.advanceMillis(ms);
    ((ManualIoEventLoop) loop).runNow();
  }

  /// Returns a new end without a session. Must be called on the loop.
  public TunnelEnd end() throws IOException {
    return end(FlowChanges.NONE);
  }

  /// Returns a new end without a session. Must be called on the loop.
  TunnelEnd end(FlowChanges changes) throws IOException {
    return end(changes, policy());
  }

  /// Returns a new end with other rules, without a session. Must be called on the loop.
  TunnelEnd end(FlowChanges changes, Policy policy) throws IOException {
    DataLoop at =
        new DataLoop(
            loop,
            nanoTime,
            memory,
            new TunWriter(null), // nothing is written to the TUN
            (_, _) -> {},
            classes,
            carried,
            refusals,
            this::changed,
            this::changed,
            () -> {});
    DataPathListener silent = new SilentListener();
    TunnelEnd opened =
        new TunnelEnd(
            at,
            TunnelRole.AGENT,
            policy,
            changes,
            silent,
            inbound -> new DialledPaths(loop, nanoTime, 0, ROLE, inbound, silent));
    ends.add(opened);
    return opened;
  }

  /// Returns the event loop.
  public IoEventLoop loop() {
    return loop;
  }

  /// Returns the surcharge by which flows of a class are placed, in denarii per gigabyte.
  public double price(TunnelEnd at, ServiceClass of) {
    return at.facts(nanoTime.getAsLong()).prices().of(of);
  }

  /// Returns the terms of a Welcome of a SNAPT on this machine, with several paths.
  static SessionParameters parameters(LoopbackSnapt snapt) throws IOException {
    TunnelSettings settings = TunnelSettings.defaults();
    return new SessionParameters(
        "loopback",
        new TunnelTerms(
            AeadAlgorithm.AES_256_GCM,
            SessionSecret.of(new byte[SessionSecret.BYTES]),
            22,
            new TunnelLimits(1500, settings.historyBytes(), 4, TunnelLimits.FEATURES)),
        settings,
        snapt.peers(),
        11,
        null);
  }

  /// Returns the terms of a Welcome from an address where nobody answers.
  static SessionParameters parameters(String snapt) {
    return parameters(snapt, 11);
  }

  /// Returns the same with a receiver index of this host.
  static SessionParameters parameters(String snapt, int ownReceiverIndex) {
    TunnelSettings settings = TunnelSettings.defaults();
    return new SessionParameters(
        snapt,
        new TunnelTerms(
            AeadAlgorithm.AES_256_GCM,
            SessionSecret.of(new byte[SessionSecret.BYTES]),
            22,
            new TunnelLimits(1500, settings.historyBytes())),
        settings,
        Remotes.of(new InetSocketAddress("127.0.0.1", 9)),
        ownReceiverIndex,
        null);
  }

  @Override
  public void close() throws Exception {
    on(() -> {
      ends.forEach(TunnelEnd::close);
      return null;
    });
    if (loop instanceof ManualIoEventLoop manual) {
      loop.execute(() -> {}); // a loop without a last task would wait for the clock to end
      var unused = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
      manual.runNow();
    } else {
      loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
    memory.close();
    owners.close();
    refusals.close();
  }
}
