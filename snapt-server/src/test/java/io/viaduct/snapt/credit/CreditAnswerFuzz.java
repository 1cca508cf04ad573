package io.viaduct.snapt.credit;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.snapt.binding.ShownToken;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequestType;
import io.viaduct.usage.v1.CreditResult;
import io.viaduct.usage.v1.GrantedUnits;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes billing's answers about credit. Input: one octet, then a CreditAnswer. If bit 0 of the
/// octet is set, the answer gets the number of the request that waits. Rules: an answer to another
/// request changes nothing. After any answer a quota is paid exactly while bytes of it are left,
/// and what is granted never lets more pass than it says.
final class CreditAnswerFuzz {
  private static final long NOW_NS = 5_000_000_000L;
  private static final long USED = 1_000;
  private static final ShownToken TOKEN =
      new ShownToken(
          SessionToken.newBuilder().setAccount("alice").build(),
          SignedSessionToken.newBuilder().setToken(ByteString.copyFromUtf8("t")).build());

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    if (input.length < 1) {
      return;
    }
    CreditAnswer answer;
    try {
      answer = CreditAnswer.parseFrom(ByteString.copyFrom(input, 1, input.length - 1));
    } catch (InvalidProtocolBufferException _) {
      return; // gRPC ends the stream
    }
    var quotas = new Quotas();
    Quota web = quotas.of("web", ServiceClass.HT_HD);
    web.countFlowless(USED, 1_000);
    var dialog =
        new CreditDialog(
            "s",
            new CreditLine(WithoutBilling.CONTINUE, new FreeDestinations(List.of())),
            quotas,
            true,
            0);
    dialog.ask(CreditRequestType.UPDATE, TOKEN, 1_000, NOW_NS);
    if ((input[0] & 1) != 0) {
      answer = answer.toBuilder().setNumber(1).build();
    }
    boolean taken = dialog.takes(answer, NOW_NS);
    if (taken && answer.getNumber() != 1 && answer.getNumber() != 0) {
      throw new AssertionError("taken: " + answer);
    }
    for (GrantedUnits each : answer.getGrantedList()) {
      Quota quota = quotas.find(each.getApplication(), each.getServiceClassValue());
      if (quota != null) {
        quota.grant(each, NOW_NS, NOW_NS, NOW_NS + 1);
        check(quota, each);
      }
    }
  }

  private static void check(Quota quota, GrantedUnits grant) {
    long remaining = quota.remainingBytes(NOW_NS);
    if (quota.isPaid(NOW_NS) != remaining > 0
        || remaining > Math.max(0, grant.getTotalBytes() - USED)
        || remaining > 0 && grant.getValidityMs() <= 0) {
      throw new AssertionError("%d bytes left of %s".formatted(remaining, grant));
    }
  }

  private static byte[] input(int flags, CreditAnswer answer) {
    return ByteString.copyFrom(new byte[] {(byte) flags})
        .concat(answer.toByteString())
        .toByteArray();
  }

  static List<byte[]> seeds() {
    GrantedUnits grant =
        GrantedUnits.newBuilder()
            .setApplication("web")
            .setServiceClassValue(ServiceClass.HT_HD.ordinal() + 1)
            .setTotalBytes(5_000)
            .setValidityMs(10_000)
            .build();
    CreditAnswer answer =
        CreditAnswer.newBuilder()
            .setSessionId("s")
            .setResult(CreditResult.SUCCESS)
            .addGranted(grant)
            .build();
    return List.of(
        input(1, answer),
        input(0, answer),
        input(0, answer.toBuilder().setNumber(7).build()),
        input(1, answer.toBuilder().setResultValue(99).build()),
        input(
            1,
            answer.toBuilder()
                .setGranted(0, grant.toBuilder().setValidityMs(Long.MAX_VALUE).setFinal(true))
                .build()),
        input(
            1,
            answer.toBuilder()
                .setGranted(0, grant.toBuilder().setTotalBytes(Long.MIN_VALUE).setValidityMs(-1))
                .build()));
  }
}
