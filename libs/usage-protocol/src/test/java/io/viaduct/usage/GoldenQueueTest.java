package io.viaduct.usage;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.viaduct.usage.v1.ChargeState;
import io.viaduct.usage.v1.PublishedCharge;
import io.viaduct.usage.v1.QueuedReport;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.TokenKey;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/// Compares the bytes of the records of topics in docs/protocol.md with those that the code writes.
class GoldenQueueTest {
  private static final String SESSION = "00000000-0000-4000-8000-000000000001";

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }

  @Test
  void thePageShowsTheRecordsThatTheCodeWrites() throws Exception {
    QueuedReport queued =
        QueuedReport.newBuilder()
            .setReport(
                SignedUsageReport.newBuilder()
                    .setReport(ByteString.fromHex("0a07736e6170742d31"))
                    .setSignature(ByteString.fromHex("0102"))
                    .setKeyId("k1"))
            .setReceivedMs(1_790_000_060_000L)
            .addTokenKeys(
                TokenKey.newBuilder().setKeyId("t1").setPublicKey(ByteString.fromHex("0304")))
            .build();
    ReportAck ack =
        ReportAck.newBuilder()
            .setSnaptId("snapt-1")
            .setSessionId(SESSION)
            .setEpoch(7)
            .setSequence(2)
            .setVerdict(ReportVerdict.QUEUED)
            .build();
    PublishedCharge charge =
        PublishedCharge.newBuilder()
            .setCharge(17)
            .setAccount("alice")
            .setSnaptId("snapt-1")
            .setSessionId(SESSION)
            .setEpoch(7)
            .setSequence(2)
            .setFlow(1)
            .setStartMs(1_790_000_000_000L)
            .setEndMs(1_790_000_060_000L)
            .setApplication("web")
            .setServiceClass(ServiceClass.HT_HD)
            .setPreBytes(450_000)
            .setPostBytes(180_000)
            .setChargeMicrodenarii(37_889)
            .setDiscountMicrodenarii(11_367)
            .setNetMicrodenarii(26_522)
            .setTariffVersion(1)
            .setState(ChargeState.CHARGE_FINAL)
            .setPublishedMs(1_790_000_060_500L)
            .build();
    PublishedCharge voided =
        charge.toBuilder()
            .setNetMicrodenarii(0)
            .setTariffVersion(2)
            .setState(ChargeState.CHARGE_VOID)
            .setRevision(1)
            .build();
    assertThat(GoldenPage.messages())
        .containsEntry("queued-report", hex(queued.toByteString()))
        .containsEntry("report-queued", hex(ack.toByteString()))
        .containsEntry("published-charge", hex(charge.toByteString()))
        .containsEntry("published-void", hex(voided.toByteString()));
  }
}
