package io.viaduct.billing.credit;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditRequestType;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.UsedUnits;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes requests for credit as the bridge forwards them. Rule: a request becomes one whose counts
/// can be added, or it is refused with a reason that names the rule.
final class CreditRequestFuzz {
  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    try {
      check(SessionRequest.read(CreditRequest.parseFrom(input)));
    } catch (InvalidProtocolBufferException _) {
      return; // gRPC ends the stream
    } catch (RequestRefusedException e) {
      if (!e.getMessage().contains("must") && !e.getMessage().contains("a request")) {
        throw new AssertionError("refused without a rule: " + e.getMessage());
      }
    }
  }

  private static void check(SessionRequest request) {
    long bytes = 0;
    for (UsedByApplication each : request.used()) {
      bytes = Math.addExact(bytes, each.used().bytes());
      if (each.used().bytes() < 0 || !(each.bytesPerSecond() >= 0) || each.flows() < 0) {
        throw new AssertionError("accepted: " + each);
      }
    }
    long different = request.used().stream().map(UsedByApplication::application).distinct().count();
    if (request.number() < 1 || different < request.used().size()) {
      throw new AssertionError("accepted: " + request);
    }
  }

  static List<byte[]> seeds() {
    UsedUnits used =
        UsedUnits.newBuilder()
            .setApplication("web")
            .setServiceClass(ServiceClass.HT_HD)
            .setTotalBytes(1_000)
            .setTotalFlowMs(2_000)
            .setBytesPerSecond(500)
            .setFlows(1)
            .build();
    CreditRequest request =
        CreditRequest.newBuilder()
            .setSnaptId("snapt-1")
            .setSessionId("s")
            .setAccount("alice")
            .setNumber(1)
            .setType(CreditRequestType.INITIAL)
            .setTotalMs(2_000)
            .addUsed(used)
            .build();
    return List.of(
        request.toByteArray(),
        request.toBuilder().addUsed(used).build().toByteArray(),
        request.toBuilder().setTotalMs(Long.MIN_VALUE).build().toByteArray(),
        request.toBuilder()
            .setUsed(0, used.toBuilder().setBytesPerSecond(Double.NaN))
            .build()
            .toByteArray(),
        request.toBuilder()
            .setUsed(0, used.toBuilder().setTotalBytes(1L << 50).setFlows(-1))
            .build()
            .toByteArray());
  }
}
