package io.viaduct.cnapt.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.viaduct.cnapt.snapts.SnaptTerms;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.tunnel.control.v1.CreditNotice;
import io.viaduct.tunnel.control.v1.Relay;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.Directory;
import io.viaduct.usage.v1.DirectoryEntry;
import io.viaduct.usage.v1.SignedDirectory;
import io.viaduct.usage.v1.SnaptState;
import java.security.KeyPair;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SnaptNewsTest {
  private static final Snapt LIAR = new Snapt("liar", "one", 443);
  private static final Snapt RIVAL = new Snapt("rival", "two", 443);

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final KeyPair key = Ed25519.generate();
  private final BridgeDirectory bridge = new BridgeDirectory(() -> 0);
  private final SnaptOrder order = SnaptOrder.of(new byte[32], "north", 0);
  private final List<String> told = new ArrayList<>();
  private final List<List<Snapt>> taken = new ArrayList<>();
  private SnaptNews news;

  @BeforeEach
  void begin() {
    channel.freezeTime();
    news = new SnaptNews(channel.eventLoop(), bridge, order, new Told(), taken::add);
  }

  @AfterEach
  void end() {
    channel.close();
  }

  private final class Told implements ControlListener {
    @Override
    public void told(boolean draining, long deadlineMs, int loadPercent) {
      told.add("itself %s %d".formatted(draining, loadPercent));
    }

    @Override
    public void terms(Map<String, SnaptTerms> terms) {
      told.add("terms of " + terms.keySet());
    }

    @Override
    public void welcomed(Welcomed welcomed) {}

    @Override
    public void lost(ControlFailure why, String detail) {}

    @Override
    public void tokenRefused(String detail) {}

    @Override
    public void tokenAccepted(long expiresMs) {}

    @Override
    public void credit(CreditNotice notice) {}

    @Override
    public void relays(List<Snapt> relays) {}

    @Override
    public long carriedBytes() {
      return 0;
    }

    @Override
    public void datagrams(List<ByteBuf> datagrams, Runnable taken) {}
  }

  private static Relay relay(Snapt of, Relay.State state, int load) {
    return Relay.newBuilder()
        .setSnaptId(of.id())
        .setHost(of.host())
        .setControlPort(of.controlPort())
        .setRegion("north")
        .setState(state)
        .setLoadPercent(load)
        .addSurcharges(9)
        .build();
  }

  private static final List<Relay> LIES =
      List.of(relay(LIAR, Relay.State.SERVING, 1), relay(RIVAL, Relay.State.DRAINING, 99));

  private ByteString directory() {
    ByteString bytes =
        Directory.newBuilder()
            .setVersion(1)
            .addEntries(
                DirectoryEntry.newBuilder()
                    .setSnaptId("rival")
                    .setHost("two")
                    .setControlPort(443)
                    .setState(SnaptState.SERVING)
                    .setLoadPercent(20))
            .build()
            .toByteString();
    return SignedDirectory.newBuilder()
        .setDirectory(bytes)
        .setSignature(SignedMessage.SNAPT_DIRECTORY.sign(key.getPrivate(), bytes))
        .setKeyId("k")
        .build()
        .toByteString();
  }

  @Test
  void aSnaptCannotSayThatARivalDrainsOrIsFullOrWhatAnybodyCosts() {
    news.granted(List.of(LIAR, RIVAL));
    news.take("liar", LIES, true, ByteString.EMPTY);
    assertThat(told).containsExactly("itself false 1");
    assertThat(taken).isEmpty();
    assertThat(order.loadPercent(RIVAL)).isEqualTo(-1);
    assertThat(order.loadPercent(LIAR)).isEqualTo(1);
  }

  @Test
  void theSignedDirectoryThatItCarriesIsTakenAndNotTheListBeside() {
    bridge.granted(new BridgeKeys(Map.of("k", key.getPublic()), 0));
    news.granted(List.of(LIAR, RIVAL));
    news.take("liar", LIES, true, directory());
    assertThat(told).containsExactly("itself false 1", "terms of [rival]");
    assertThat(taken).containsExactly(List.of(LIAR, RIVAL));
    assertThat(order.loadPercent(RIVAL)).isEqualTo(20);
  }

  @Test
  void withoutABridgeAListSaysWhichSnaptsThereAreAndNoPrice() {
    news.take("liar", LIES, true, ByteString.EMPTY);
    assertThat(taken).containsExactly(List.of(LIAR));
    assertThat(told).containsExactly("itself false 1");
    assertThat(order.loadPercent(RIVAL)).isEqualTo(-1);
  }
}
