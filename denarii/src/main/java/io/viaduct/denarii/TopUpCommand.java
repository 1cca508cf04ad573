package io.viaduct.denarii;

import io.viaduct.denarii.api.BillingApi;
import io.viaduct.denarii.text.Amount;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Tops up an account, as an operator.
@Command(
    name = "topup",
    description = {
      "Top up an account, as an operator. It is posted once for each key: after a failure, repeat"
          + " the command with the printed key."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  denarii topup alice 25den --reference \"invoice 17\""})
final class TopUpCommand extends ReadingCall {
  @Parameters(index = "0", paramLabel = "ACCOUNT", description = "account that gets the money")
  private String account = "";

  @Parameters(index = "1", paramLabel = "AMOUNT", description = "such as 25den or 800mden")
  private String amount = "";

  @Option(
      names = "--reference",
      paramLabel = "TEXT",
      description = "what the user sees beside it (default: ${DEFAULT-VALUE})")
  private String reference = "denarii topup";

  @Option(
      names = "--key",
      description = "idempotency key, 1 to 128 characters (default: a new one, which is printed)")
  private @Nullable String key;

  @Override
  int run() throws IOException {
    long microdenarii = Amount.parse(amount);
    String once = key == null ? UUID.randomUUID().toString() : key;
    // Printed before the request: a request that fails may have been posted.
    err().printf("key %s%n", once);
    err().flush();
    BillingApi.Answer answer =
        billing()
            .send(
                "POST",
                accountPath(account) + "/top-ups",
                Map.of("amountMicrodenarii", Long.toString(microdenarii), "reference", reference),
                Map.of("Idempotency-Key", once));
    if (isJson()) {
      json(answer.body());
    } else {
      out()
          .printf(
              "%s %s by %s, transaction %s%n",
              answer.status() == 201 ? "topped up" : "was topped up before:",
              account,
              Amount.exact(answer.body().path("amountMicrodenarii").asString()),
              answer.body().path("transaction").asString());
    }
    return 0;
  }
}
