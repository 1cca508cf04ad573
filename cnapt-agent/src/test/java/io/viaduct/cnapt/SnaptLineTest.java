package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import io.viaduct.cnapt.control.BridgeDirectory;
import io.viaduct.cnapt.control.Snapt;
import io.viaduct.cnapt.control.SnaptOrder;
import io.viaduct.cnapt.control.Welcomed;
import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.receipts.LineReceipts;
import io.viaduct.cnapt.receipts.ReceiptLedger;
import io.viaduct.cnapt.receipts.ReceiptSettings;
import io.viaduct.cnapt.snapts.SnaptTerms;
import io.viaduct.cnapt.tunnel.EndRig;
import io.viaduct.cnapt.tunnel.SessionSettings;
import io.viaduct.cnapt.tunnel.TunnelEnd;
import io.viaduct.tunnel.control.v1.Aead;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.tunnel.wire.ServiceClass;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnaptLineTest {
  private static final long CARRIES_MS = 1_000; // a session that follows, without an answer

  @TempDir Path folder;

  @Test
  void aSessionThatIsHandedOverBeginsWithTheTermsOfItsSnaptAndTheOneBeforeKeepsItsOwn()
      throws Exception {
    MockTicker clock = Ticker.newMockTicker();
    try (EndRig rig = new EndRig(clock);
        ReceiptLedger receipts = receipts()) {
      OneLine owner = new OneLine();
      SnaptLine line =
          new SnaptLine(
              rig.loop(),
              new SessionSettings(1500, SessionSettings.Preference.AUTO, TunnelSettings.defaults()),
              new LineReceipts(receipts, 0),
              InstantSource.system(),
              owner);
      owner.used =
          new UsedSnapts(
              List.of(line), 1, SnaptOrder.of(new byte[32], "", 0), new BridgeDirectory(() -> 0));
      TunnelEnd end = rig.end();
      line.join(end, null); // the test's Welcomes come by no connection
      owner.terms(Map.of("snapt-1", terms(1), "snapt-2", terms(2)));
      line.welcomed(welcomed("snapt-1", 1, 0));
      rig.passMs(clock, 0);
      assertThat(rig.price(end, ServiceClass.HT_HD)).isEqualTo(1);
      line.welcomed(welcomed("snapt-2", 2, 7));
      rig.passMs(clock, 0);
      assertThat(end.name()).as("it carries until the next one has an answer").contains("snapt-1");
      assertThat(rig.price(end, ServiceClass.HT_HD)).isEqualTo(1);
      rig.passMs(clock, CARRIES_MS);
      assertThat(end.name()).contains("snapt-2");
      assertThat(rig.price(end, ServiceClass.HT_HD)).isEqualTo(2);
    }
  }

  private ReceiptLedger receipts() throws Exception {
    return ReceiptLedger.open(
        folder.resolve("state"),
        new ReceiptSettings(5, 1_000, 45),
        _ -> ByteString.copyFrom(new byte[64]),
        InstantSource.system());
  }

  private static SnaptTerms terms(int denariiPerGigabyte) {
    return SnaptTerms.of("", List.of(0L, 0L, 0L, denariiPerGigabyte * 1_000_000L));
  }

  private static Welcomed welcomed(String snapt, int index, long movedNumber) {
    Welcome welcome =
        Welcome.newBuilder()
            .setSnaptId(snapt)
            .setSessionId("session of " + snapt)
            .setMovedNumber(movedNumber)
            .setAead(Aead.AES_256_GCM)
            .setSecret(ByteString.copyFrom(new byte[SessionSecret.BYTES]))
            .setReceiverIndex(22)
            .setPathMtu(1500)
            .build();
    return new Welcomed(
        new Snapt(snapt, "127.0.0.1", 9),
        Remotes.of(new InetSocketAddress("127.0.0.1", 9)),
        welcome,
        index,
        null);
  }

  /// An agent of one line, as far as terms are concerned.
  private static final class OneLine implements SnaptLine.Owner {
    @Nullable UsedSnapts used;

    @Override
    public void welcomed(SnaptLine by, @Nullable TunnelTerms fresh) {}

    @Override
    public void connected() {}

    @Override
    public void lost(SnaptLine by) {}

    @Override
    public boolean carriesBeside(SnaptLine line) {
      return false;
    }

    @Override
    public boolean sharesSnapt(SnaptLine line) {
      return false;
    }

    @Override
    public void rested(SnaptLine by) {}

    @Override
    public void slept(SnaptLine by) {}

    @Override
    public boolean isSurplus(SnaptLine line) {
      return false;
    }

    @Override
    public void tokenRefused(String detail) {}

    @Override
    public void relays(SnaptLine by, List<Snapt> relays) {}

    @Override
    public SnaptTerms termsOf(SnaptLine line) {
      return used.termsOf(line);
    }

    @Override
    public void terms(Map<String, SnaptTerms> told) {
      used.terms(told);
    }

    @Override
    public void pathFound(SnaptLine by) {}

    @Override
    public void pathDead(SnaptLine by) {}
  }
}
