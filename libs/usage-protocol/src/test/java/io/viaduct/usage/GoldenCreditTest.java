package io.viaduct.usage;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.MessageLite;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditRequestType;
import io.viaduct.usage.v1.CreditResult;
import io.viaduct.usage.v1.FailureAction;
import io.viaduct.usage.v1.FailureHandling;
import io.viaduct.usage.v1.GrantedUnits;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.UsedUnits;
import java.io.IOException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/// Compares the bytes of a credit request and its answer in docs/protocol.md with those that the
/// code writes. The bytes on the page come from `protoc --encode` and the text format.
class GoldenCreditTest {
  private static final String SESSION = "00000000-0000-4000-8000-000000000001";

  @Test
  void thePageShowsTheRequestThatTheCodeWrites() throws IOException {
    CreditRequest request =
        CreditRequest.newBuilder()
            .setSnaptId("snapt-1")
            .setSessionId(SESSION)
            .setAccount("alice")
            .setNumber(2)
            .setType(CreditRequestType.UPDATE)
            .addUsed(
                UsedUnits.newBuilder()
                    .setApplication("web")
                    .setServiceClass(ServiceClass.HT_HD)
                    .setTotalBytes(1_500_000)
                    .setBytesPerSecond(2_500_000)
                    .setTotalFlowMs(4_000)
                    .setFlows(3))
            .setTotalMs(2_000)
            .build();
    assertThat(GoldenPage.messages()).containsEntry("credit-request", hex(request));
  }

  @Test
  void thePageShowsTheAnswerThatTheCodeWrites() throws IOException {
    CreditAnswer answer =
        CreditAnswer.newBuilder()
            .setSessionId(SESSION)
            .setAccount("alice")
            .setNumber(2)
            .setResult(CreditResult.CREDIT_LIMIT_REACHED)
            .addGranted(
                GrantedUnits.newBuilder()
                    .setApplication("web")
                    .setServiceClass(ServiceClass.HT_HD)
                    .setTotalBytes(1_750_000)
                    .setValidityMs(500)
                    .setFinal(true))
            .addFailure(handling(ServiceClass.LT_LD, FailureAction.CONTINUE))
            .addFailure(handling(ServiceClass.HT_HD, FailureAction.TERMINATE))
            .setLowCredit(true)
            .setAvailableMicrodenarii(-250_000)
            .setSnaptId("snapt-1")
            .build();
    assertThat(GoldenPage.messages()).containsEntry("credit-answer", hex(answer));
  }

  private static FailureHandling handling(ServiceClass serviceClass, FailureAction action) {
    return FailureHandling.newBuilder().setServiceClass(serviceClass).setAction(action).build();
  }

  private static String hex(MessageLite message) {
    return HexFormat.of().formatHex(message.toByteArray());
  }
}
