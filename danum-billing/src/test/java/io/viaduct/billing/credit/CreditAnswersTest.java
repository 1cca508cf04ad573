package io.viaduct.billing.credit;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditResult;
import io.viaduct.usage.v1.FailureAction;
import io.viaduct.usage.v1.FailureHandling;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class CreditAnswersTest {
  private static final AccountCredit CREDIT =
      new AccountCredit(
          "alice",
          AccountCredit.Access.OPEN,
          MicroDenarii.ofDenarii(-3),
          MicroDenarii.ofDenarii(2),
          AccountCredit.Caps.NONE,
          MicroDenarii.ZERO,
          MicroDenarii.ZERO,
          MicroDenarii.ZERO,
          CreditState.EXHAUSTED,
          null,
          1,
          null,
          MicroDenarii.ZERO);

  @Test
  void anAnswerSaysWhatTheTariffSaysAboutEachClass() {
    String document =
        TariffDocument.print(TariffDocument.initial())
            .replace("\"HT_HD\":\"CONTINUE\"", "\"HT_HD\":\"TERMINATE\"");
    Tariff tariff = TariffDocument.parse(document);
    CreditAnswer answer =
        new CreditAnswers(tariff, Instant.EPOCH)
            .answer(
                CreditRequest.newBuilder().setNumber(7).build(),
                CreditResult.CREDIT_LIMIT_REACHED,
                List.of(),
                CREDIT,
                CreditState.EXHAUSTED);
    assertThat(answer.getFailureList())
        .extracting(FailureHandling::getAction)
        .containsExactly(
            FailureAction.CONTINUE,
            FailureAction.CONTINUE,
            FailureAction.CONTINUE,
            FailureAction.TERMINATE);
    assertThat(answer.getNumber()).isEqualTo(7);
    assertThat(answer.getLowCredit()).isTrue();
    assertThat(answer.getAvailableMicrodenarii()).isEqualTo(-1_000_000);
    assertThat(answer.getReason()).contains("-1000000");
  }
}
