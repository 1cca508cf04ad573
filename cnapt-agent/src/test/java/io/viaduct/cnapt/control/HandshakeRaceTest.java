package io.viaduct.cnapt.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Real handshakes on the loopback.
class HandshakeRaceTest {
  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final EventLoop loop = loops.next();
  private final SnaptOrder order = SnaptOrder.of(new byte[32], "", 0);
  private final SnaptClaims claims = new SnaptClaims(order);
  private final SnaptHandshake handshake =
      new SnaptHandshake(loop, 0, List::of, host -> List.of(InetAddress.getAllByName(host)));
  private final HandshakeRace race = new HandshakeRace(handshake, claims);
  private final List<Optional<Snapt>> won = new CopyOnWriteArrayList<>();
  private ServerSocket listening;
  private int closed;

  @BeforeEach
  void listen() throws Exception {
    listening = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    try (ServerSocket gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = gone.getLocalPort();
    }
  }

  @AfterEach
  void close() throws Exception {
    listening.close();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private Snapt up(String id) {
    return new Snapt(id, "127.0.0.1", listening.getLocalPort());
  }

  private Snapt down(String id) {
    return new Snapt(id, "127.0.0.1", closed);
  }

  private Optional<Snapt> winner(List<Snapt> listed) {
    int before = won.size();
    loop.execute(() ->
        race.begin(
            listed, each -> won.add(Optional.ofNullable(each).map(HandshakeRace.Winner::at))));
    await().until(() -> won.size() > before);
    return won.getLast();
  }

  @Test
  void theFirstOfTheOrderThatAnswersWinsAndNoneThatALineHas() {
    Snapt used = down("used");
    Candidates line = new Candidates(new SnaptSettings("", 443, ""), 1_000_000_000L, claims);
    loop.submit(
            () -> {
              line.replace(List.of(used));
              assertThat(line.current()).isEqualTo(used);
            })
        .syncUninterruptibly();
    assertThat(winner(List.of(used))).as("no other one, no handshake").isEmpty();
    assertThat(handshake.begun()).isZero();
    assertThat(
            winner(
                List.of(used, new Snapt("away", "127.0.0.2", closed), up("second"), up("third"))))
        .hasValueSatisfying(each -> assertThat(each.id()).isIn("second", "third"));
    assertThat(handshake.begun()).isEqualTo(3);
  }

  @Test
  void ofThoseThatAreAboutAsNearTheFirstOfTheOrderWinsThatNoneIsRankedBefore() {
    List<Snapt> rivals = List.of(down("a"), down("b"), down("c"), down("d"));
    Map<String, Double> ms = Map.of("a", 50.0, "b", 14.0, "c", 10.0, "d", Double.NaN);
    ToDoubleFunction<Snapt> measured = each -> ms.get(each.id());
    assertThat(HandshakeRace.best(rivals, measured, order)).isEqualTo(rivals.get(1));
    order.granted(Map.of("a", 1, "b", 3, "c", 2, "d", 1), Map.of());
    assertThat(HandshakeRace.best(rivals, measured, order)).isEqualTo(rivals.get(2));
    assertThat(HandshakeRace.best(rivals, _ -> Double.NaN, order)).isNull();
  }

  @Test
  void afterARaceThatNoneHasWonTheNextOnesOfTheListAreAsked() {
    List<Snapt> listed = new ArrayList<>();
    for (int i = 0; i < HandshakeRace.RIVALS_MAX; i++) {
      listed.add(down("down-" + i));
    }
    listed.add(up("up"));
    assertThat(winner(listed)).isEmpty();
    assertThat(winner(listed)).hasValueSatisfying(each -> assertThat(each.id()).isEqualTo("up"));
  }
}
