package io.viaduct.cnapt.mobility;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.viaduct.cnapt.links.LinkListener;
import io.viaduct.cnapt.links.LinkMonitor;
import io.viaduct.cnapt.links.LinkRules;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.host.netlink.NetworkChange;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The watch with messages of the kernel, one burst after the other, on its event loop.
class NetworkWatchTest {
  private static final NetworkChange LINK =
      new NetworkChange.LinkPresent(2, "wlan0", true, true, 0);
  private static final NetworkChange DOWN =
      new NetworkChange.LinkPresent(2, "wlan0", false, false, 0);
  private static final InetAddress OWN = InetAddress.ofLiteral("10.71.1.2");
  private static final NetworkChange ADDRESS = new NetworkChange.AddressPresent(2, OWN, 24, true);
  private static final NetworkChange ROUTE =
      new NetworkChange.RoutePresent(
          new NetworkChange.Route(
              InetAddress.ofLiteral("0.0.0.0"), 0, InetAddress.ofLiteral("10.71.1.1"), 2, 0, 254));

  private final List<String> seen = new ArrayList<>();
  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final IoEventLoop loop = loops.next();
  private final LinkMonitor links =
      new LinkMonitor(loop, LinkRules.of(List.of()), new Recorder(), _ -> {});
  private final NetworkWatch watch =
      new NetworkWatch(loop, "viaduct0", 0, () -> null, new Listener(), links);

  @BeforeEach
  void linkIsUp() {
    burst(new NetworkChange.Resync(), LINK, ADDRESS, ROUTE, new NetworkChange.Complete());
    assertThat(seen).containsExactly("added wlan0");
    seen.clear();
  }

  @AfterEach
  void stop() {
    loops.shutdownGracefully();
  }

  private void burst(NetworkChange... changes) {
    loop.submit(
            () -> {
              List.of(changes).forEach(watch::changed);
              watch.changed(new NetworkChange.Settled());
            })
        .syncUninterruptibly();
  }

  @Test
  void aLinkThatWentDownAndUpInOneBurstKeepsItsSocketAndIsOneProbe() {
    burst(DOWN, LINK, ROUTE);
    assertThat(seen).containsExactly("may have changed");
  }

  @Test
  void aLinkThatIsDownAtTheEndOfABurstIsLost() {
    burst(DOWN);
    assertThat(seen).containsExactly("removed wlan0", "may have changed");
    burst(LINK);
    assertThat(seen).endsWith("added wlan0", "may have changed");
  }

  private final class Listener implements NetworkWatch.Listener {
    @Override
    public void networkMayHaveChanged() {
      seen.add("may have changed");
    }

    @Override
    public void moved(String cause, String from, String to) {
      seen.add("moved");
    }
  }

  private final class Recorder implements LinkListener {
    @Override
    public void linkAdded(UsableLink link) {
      seen.add("added " + link.name());
    }

    @Override
    public void linkRemoved(UsableLink link) {
      seen.add("removed " + link.name());
    }

    @Override
    public void linkChanged(UsableLink before, UsableLink now) {
      seen.add("changed " + now.name());
    }
  }
}
