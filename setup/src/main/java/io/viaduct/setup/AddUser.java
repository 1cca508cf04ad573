package io.viaduct.setup;

import io.viaduct.service.command.ExitCode;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.setup.files.Passwords;
import io.viaduct.setup.files.SetupDirectory;
import io.viaduct.setup.files.YamlText;
import io.viaduct.setup.installation.Installation;
import io.viaduct.setup.pki.Certificates;
import io.viaduct.setup.pki.Pem;
import io.viaduct.setup.users.BillingClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Path;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The command `viaduct setup user NAME`: makes a user in a running billing, and the directory of
/// files that the user's device needs.
@Command(
    name = "user",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Adds a user: account, passwords, and the directory to copy to the user's device.")
final class AddUser extends InstallationCommand {
  private static final String NAME = "[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}";
  private static final BigDecimal MICRODENARII = BigDecimal.valueOf(1_000_000);

  @Parameters(
      paramLabel = "NAME",
      description = "user part of the SIP address, and id of the account")
  private String user = "";

  @Option(
      names = "--device",
      description =
          "name of the device's directory; another one for each further device (default:"
              + " ${DEFAULT-VALUE})")
  private String device = "device";

  @Option(
      names = "--key-on-device",
      description = "make no device key here; 'cnapt keygen' makes it on the device")
  private boolean keyOnDevice;

  @Option(names = "--display-name", description = "name that the pages show (default: NAME)")
  private @Nullable String displayName;

  @Option(
      names = "--top-up",
      paramLabel = "DENARII",
      description = "amount to credit to the account")
  private @Nullable BigDecimal topUp;

  @Option(
      names = "--new-passwords",
      description =
          "give an existing account new passwords; its devices need the new file 'password'")
  private boolean newPasswords;

  @Option(
      names = "--billing",
      paramLabel = "URL",
      description = "billing's REST interface (default: ${DEFAULT-VALUE})")
  private URI billing = URI.create("http://127.0.0.1:8082");

  @Override
  public Integer call() throws Exception {
    require(user.matches(NAME), "NAME must match " + NAME, user);
    require(device.matches(NAME), "--device must match " + NAME, device);
    long credit = microdenarii(topUp);
    Workplace workplace = workplace();
    Installation installation = workplace.installation();
    boolean made = makeAccount(workplace, credit);
    makeBundle(workplace.directory(), installation);
    workplace.printFiles(printer());
    printSteps(printer(), workplace, made, credit);
    return ExitCode.OK;
  }

  private static long microdenarii(@Nullable BigDecimal denarii) {
    if (denarii == null) {
      return 0;
    }
    require(denarii.signum() > 0, "--top-up must be more than 0 denarii", denarii);
    try {
      return denarii.multiply(MICRODENARII).longValueExact();
    } catch (ArithmeticException _) {
      throw new IllegalArgumentException(
          "--top-up must have at most six decimals and fit 64 bits of micro-denarii, got "
              + denarii);
    }
  }

  /// Makes the account in billing, unless it exists.
  ///
  /// @return true if the account was made
  private boolean makeAccount(Workplace workplace, long credit) throws IOException {
    SetupDirectory directory = workplace.directory();
    BillingClient client = workplace.billing(billing);
    client.logIn("operator", directory.read(ServiceFiles.OPERATOR_PASSWORD).strip());
    boolean exists = client.has(user);
    boolean known = directory.has(pagePassword()) && directory.has(sipPassword());
    if (exists && !known && !newPasswords) {
      throw new ConfigurationException(
          "billing has an account '%s' whose passwords are not in %s: --new-passwords gives it new ones"
              .formatted(user, workplace.path("users/" + user)));
    }
    if (newPasswords) {
      replacePasswords(directory);
    }
    directory.make(pagePassword(), Passwords::drawLine);
    directory.make(sipPassword(), Passwords::drawLine);
    String page = directory.read(pagePassword()).strip();
    String sip = directory.read(sipPassword()).strip();
    if (!exists) {
      client.create(user, displayName == null ? user : displayName, page, sip);
    } else if (newPasswords) {
      client.setPasswords(user, page, sip);
    }
    if (credit > 0) {
      client.topUp(user, credit, UUID.randomUUID().toString());
    }
    return !exists;
  }

  private void replacePasswords(SetupDirectory directory) throws IOException {
    directory.replace(pagePassword(), Passwords.drawLine());
    String sip = Passwords.drawLine();
    directory.replace(sipPassword(), sip);
    for (String file : directory.named("password")) {
      if (Path.of(file).startsWith(Path.of("users", user))) {
        directory.replace(file, sip);
      }
    }
  }

  private void makeBundle(SetupDirectory directory, Installation installation) throws IOException {
    directory.make(bundle() + "/ca.pem", () -> directory.read(Certificates.AUTHORITY));
    directory.make(bundle() + "/password", () -> directory.read(sipPassword()));
    if (!keyOnDevice) {
      directory.make(bundle() + "/device.pem", () -> Pem.text(Ed25519.generate().getPrivate()));
    }
    directory.make(bundle() + "/cnapt.yml", () -> configuration(installation));
  }

  private String configuration(Installation installation) {
    return """
    # The device '%s' of %s@%s, made by `viaduct setup`. All keys: cnapt-agent/README.md.
    # File names are relative to this file. Only root should be able to read the directory.
    device-key: device.pem
    trust: ca.pem
    signalling: {bridge: %s, domain: %s, user: %s, password-file: password}
    """
        .formatted(
            device,
            user,
            installation.domain(),
            YamlText.quoted(installation.bridgeHosts().getFirst().text()),
            installation.domain(),
            YamlText.quoted(user));
  }

  private String pagePassword() {
    return "users/" + user + "/page.password";
  }

  private String sipPassword() {
    return "users/" + user + "/sip.password";
  }

  private String bundle() {
    return "users/" + user + "/" + device;
  }

  private void printSteps(PrintWriter out, Workplace workplace, boolean made, long credit) {
    out.println();
    out.printf("%s %s%n", user, made ? "may register within a second." : "was there already.");
    if (credit > 0) {
      out.printf("Credited  %s denarii%n", Objects.requireNonNull(topUp).toPlainString());
    }
    out.printf("Page      log-in %s, password in %s%n", user, workplace.path(pagePassword()));
    out.printf(
        "Device    copy %s to the device; there, in a built checkout of Viaduct, as root:%n",
        workplace.path(bundle()));
    if (keyOnDevice) {
      out.printf("            ./viaduct cnapt keygen %s/device.pem%n", device);
    }
    out.printf("            ./viaduct cnapt up --config %s/cnapt.yml%n", device);
    if (!keyOnDevice) {
      out.printf(
          "          device.pem is the device's identity: delete %s here after the copy. With"
              + " --key-on-device it never leaves the device.%n",
          workplace.path(bundle()));
    }
    out.flush();
  }

  private static void require(boolean holds, String rule, Object value) {
    if (!holds) {
      throw new IllegalArgumentException(rule + ", got " + value);
    }
  }
}
