package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.viaduct.cnapt.classification.Applications;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.mobility.MobilitySettings;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.cnapt.tunnel.DataStatus.SnaptStatus;
import io.viaduct.tunnel.session.LoopMemory;
import io.viaduct.tunnel.terms.TunnelRole;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DataStatusTest {
  private static final MobilitySettings MOBILITY =
      new MobilitySettings(
          Duration.ofMillis(300), Duration.ofSeconds(25), Duration.ofMillis(20), 4);

  private final LoopMemory memory = LoopbackPaths.memory();
  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());

  @AfterEach
  void stop() {
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    memory.close();
  }

  private TunnelEnd end(IoEventLoop loop) throws IOException {
    Classifier classifier = Applications.classifier(Optional.empty());
    DataLoop at =
        new DataLoop(
            loop,
            () -> 0,
            memory,
            null, // nothing is written
            (_, _) -> {},
            null, // nor classified
            new Carried(),
            () -> {},
            () -> {},
            () -> {});
    DataPathListener silent = new SilentListener();
    return new TunnelEnd(
        at,
        TunnelRole.AGENT,
        Policy.of(List.of(), classifier),
        TunnelEnd.FlowChanges.NONE,
        silent,
        inbound -> new DialledPaths(loop, () -> 0, 0, MOBILITY, null, inbound, silent));
  }

  @Test
  void beforeTheFirstWelcomeEachEndIsShownWithoutASession() throws Exception {
    IoEventLoop loop = loops.next();
    DataStatus status = loop.submit(() -> status(loop)).get();
    assertThat(status.pathState()).isEqualTo("none");
    assertThat(status.snapts()).extracting(SnaptStatus::state).containsExactly("none", "none");
    assertThat(status.snapts()).allMatch(each -> each.roundTripMs() == null && each.flows() == 0);
  }

  private DataStatus status(IoEventLoop loop) throws IOException {
    List<TunnelEnd> ends = List.of(end(loop), end(loop));
    DataStatus status = DataStatus.of(ends, new Carried(), 0);
    ends.forEach(TunnelEnd::close);
    return status;
  }
}
