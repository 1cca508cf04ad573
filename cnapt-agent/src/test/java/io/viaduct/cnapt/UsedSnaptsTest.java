package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.netty.channel.DefaultEventLoop;
import io.viaduct.cnapt.control.BridgeDirectory;
import io.viaduct.cnapt.control.Snapt;
import io.viaduct.cnapt.control.SnaptOrder;
import io.viaduct.cnapt.control.Welcomed;
import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.operations.AgentStatus;
import io.viaduct.cnapt.receipts.LineReceipts;
import io.viaduct.cnapt.receipts.ReceiptLedger;
import io.viaduct.cnapt.receipts.ReceiptSettings;
import io.viaduct.cnapt.signalling.SignallingStatus.Probes;
import io.viaduct.cnapt.snapts.SnaptTerms;
import io.viaduct.cnapt.tunnel.DataStatus;
import io.viaduct.cnapt.tunnel.SessionSettings;
import io.viaduct.tunnel.control.v1.CreditNotice;
import io.viaduct.tunnel.control.v1.Relay;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.terms.TunnelSettings;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UsedSnaptsTest {
  @TempDir Path folder;

  private final DefaultEventLoop loop = new DefaultEventLoop();
  private ReceiptLedger receipts;

  @BeforeEach
  void open() throws Exception {
    receipts =
        ReceiptLedger.open(
            folder.resolve("state"),
            new ReceiptSettings(5, 1_000, 45),
            _ -> ByteString.copyFrom(new byte[64]),
            InstantSource.system());
  }

  @AfterEach
  void close() {
    receipts.close();
    loop.shutdownGracefully();
  }

  private SnaptLine line(int number) {
    SnaptLine.Owner nobody =
        (SnaptLine.Owner)
            Proxy.newProxyInstance(
                SnaptLine.class.getClassLoader(),
                new Class<?>[] {SnaptLine.Owner.class},
                (_, _, _) -> null);
    return new SnaptLine(
        loop,
        new SessionSettings(1500, SessionSettings.Preference.AUTO, TunnelSettings.defaults()),
        new LineReceipts(receipts, number),
        InstantSource.system(),
        nobody);
  }

  private static Welcomed welcomed() {
    return new Welcomed(
        new Snapt("snapt-1", "127.0.0.1", 443),
        Remotes.of(new InetSocketAddress("127.0.0.1", 443)),
        Welcome.newBuilder().setSnaptId("snapt-1").setSessionId("s1").build(),
        1,
        null);
  }

  private static DataStatus data(String... states) {
    List<DataStatus.SnaptStatus> snapts =
        Stream.of(states)
            .map(state -> new DataStatus.SnaptStatus("", state, null, 0, 0, 0))
            .toList();
    return new DataStatus(
        "", "udp", "alive", null, null, 0, List.of(), 0, List.of(), Map.of(), List.of(), List.of(),
        snapts);
  }

  @Test
  void whileOneSnaptCarriesTheReasonsOfOthersAreNoneButCreditConcernsAll() {
    SnaptLine first = line(0);
    SnaptLine second = line(1);
    UsedSnapts snapts =
        new UsedSnapts(
            List.of(first, second, line(2)),
            2,
            SnaptOrder.of(new byte[32], "", 0),
            new BridgeDirectory(() -> 0));
    assertThat(snapts.status(data("none", "none", "none"))).isEmpty();
    assertThat(snapts.reasons(data("none", "none", "none"), Probes.NONE)).hasSize(1);
    second.state().welcomed(welcomed(), 0);
    assertThat(snapts.reasons(data("none", "carrying", "none"), Probes.NONE)).isEmpty();
    second.state().credit(CreditNotice.newBuilder().setState(CreditNotice.State.EXHAUSTED).build());
    assertThat(snapts.reasons(data("none", "carrying", "none"), Probes.NONE))
        .singleElement()
        .asString()
        .contains("the credit is used up");
    assertThat(snapts.status(data("none", "carrying", "none"))).hasSize(1);
  }

  @Test
  void theBridgesNewestWordSaysRegionAndPriceOfEachSnaptAndReplacesAll() {
    SnaptLine only = line(0);
    SnaptOrder order = SnaptOrder.of(new byte[32], "", 0);
    UsedSnapts snapts =
        new UsedSnapts(List.of(only, line(1)), 1, order, new BridgeDirectory(() -> 0));
    SnaptTerms north = SnaptTerms.of("north", List.of(0L, 0L, 0L, 2_500_000L));
    snapts.remember(Map.of("snapt-1", north));
    only.state().welcomed(welcomed(), 0);
    assertThat(snapts.status(data("carrying", "none")).getFirst().region()).isEqualTo("north");
    assertThat(snapts.status(data("carrying", "none")).getFirst().denariiPerGigabyte())
        .isEqualTo(Map.of("HT_HD", 2.5));
    snapts.remember(Map.of("snapt-2", north));
    assertThat(snapts.status(data("carrying", "none")).getFirst().denariiPerGigabyte()).isEmpty();
    order.told(List.of(Relay.newBuilder().setSnaptId("snapt-2").setLoadPercent(40).build()));
    assertThat(snapts.directory())
        .containsExactly(new AgentStatus.ListedSnapt("snapt-2", "north", 40, Map.of("HT_HD", 2.5)));
  }

  @Test
  void theMtuSuitsTheSmallestSessionWhicheverWasWelcomedLast() {
    SnaptLine first = line(0);
    SnaptLine second = line(1);
    UsedSnapts snapts =
        new UsedSnapts(
            List.of(first, second, line(2)),
            2,
            SnaptOrder.of(new byte[32], "", 0),
            new BridgeDirectory(() -> 0));
    assertThat(snapts.tunMtu()).isZero();
    first.state().tunMtu(1_350);
    second.state().tunMtu(1_420);
    assertThat(snapts.tunMtu()).isEqualTo(1_350);
  }

  @Test
  void aSnaptThatDrainsIsShownWithItsDeadlineUntilAnotherOneHasTheSession() {
    SnaptLine only = line(0);
    UsedSnapts snapts =
        new UsedSnapts(
            List.of(only, line(1)),
            1,
            SnaptOrder.of(new byte[32], "", 0),
            new BridgeDirectory(() -> 0));
    only.state().welcomed(welcomed(), 0);
    assertThat(snapts.status(data("carrying", "none")).getFirst().draining()).isFalse();
    only.state().told(true, 1_000);
    AgentStatus.UsedSnapt drains = snapts.status(data("leaving", "none")).getFirst();
    assertThat(drains.draining()).isTrue();
    assertThat(drains.drainDeadline()).isEqualTo("1970-01-01T00:00:01Z");
    only.state().told(true, 0);
    assertThat(snapts.status(data("leaving", "none")).getFirst().drainDeadline()).isEmpty();
    only.state().welcomed(welcomed(), 0);
    assertThat(snapts.status(data("carrying", "none")).getFirst().draining()).isFalse();
  }
}
