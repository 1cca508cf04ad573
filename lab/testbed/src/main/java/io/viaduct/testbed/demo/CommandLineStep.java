package io.viaduct.testbed.demo;

import io.viaduct.testbed.deployment.DenariiUser;
import io.viaduct.testbed.deployment.Deployment;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Step (h): `denarii` in a shell. The operator makes a voucher, alice redeems it and reads how her
/// dearest charge comes about, the operator verifies the ledger.
final class CommandLineStep {
  private static final long VOUCHER = 5_000_000;
  private static final Pattern CODE = Pattern.compile("[0-9A-Z]{5}(?:-[0-9A-Z]{5}){3}");
  private static final Pattern PAID = Pattern.compile("(?m)^to pay +(-?[0-9.]+) den\\b");
  private static final int DECIMALS = 6; // of a micro-denarius

  private final Deployment deployment;
  private final BillingClient alice;
  private final LocalDate expires;

  /// @param expires end of the voucher
  CommandLineStep(Deployment deployment, BillingClient alice, LocalDate expires) {
    this.deployment = deployment;
    this.alice = alice;
    this.expires = expires;
  }

  /// Runs the step.
  void run(Narration narration) throws IOException {
    logIn("operator");
    logIn("alice");
    redeem(narration);
    narration.block(denarii("alice", "account"));
    explain(narration);
    String verified = denarii("operator", "verify");
    narration.line("denarii verify: %s", verified.lines().toList().getLast());
  }

  private void logIn(String user) {
    new DenariiUser(deployment, user).logIn();
  }

  private void redeem(Narration narration) throws IOException {
    String made =
        denarii(
            "operator",
            "voucher",
            "make",
            "--count",
            "1",
            "--amount",
            "%dden".formatted(VOUCHER / 1_000_000),
            "--expires",
            expires.toString());
    Matcher code = CODE.matcher(made);
    long before = alice.balance("alice");
    if (code.find()) { // sent twice, as after an answer that was lost
      denarii("alice", "voucher", "redeem", code.group());
      denarii("alice", "voucher", "redeem", code.group());
    }
    long after = alice.balance("alice");
    narration.hold(
        after == before + VOUCHER,
        "alice redeems a voucher of %s den, twice; it is posted once: her balance is %s",
        BillingClient.denarii(VOUCHER),
        BillingClient.denarii(after));
  }

  private void explain(Narration narration) throws IOException {
    Charge dearest =
        alice.charges("alice").stream()
            .max(Comparator.comparingLong(Charge::net))
            .orElseThrow(() -> new IOException("alice has no charges"));
    String explained = denarii("alice", "explain", dearest.id());
    narration.block(explained);
    narration.hold(
        comesTo(explained, dearest.net()),
        "denarii explain %s comes to what the charge is: %s",
        dearest.id(),
        BillingClient.denarii(dearest.net()));
  }

  /// Returns true if an explanation ends with an amount, in micro-denarii. The command prints no
  /// zeros at the end of a fraction.
  static boolean comesTo(String explained, long net) {
    Matcher paid = PAID.matcher(explained);
    return paid.find()
        && new BigDecimal(paid.group(1)).compareTo(BigDecimal.valueOf(net, DECIMALS)) == 0;
  }

  private String denarii(String user, String... words) {
    return new DenariiUser(deployment, user).run(words);
  }
}
