package io.viaduct.sip.useragent;

import io.viaduct.service.configuration.Secret;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import java.net.InetSocketAddress;
import java.time.Duration;
import picocli.CommandLine.Option;

/// The options that every command of [UserAgentCommand] shares.
final class UserAgentOptions {
  @Option(names = "--domain", required = true, description = "home domain, e.g. ims.test")
  String domain = "";

  @Option(names = "--user", required = true, description = "local part of the address of record")
  String user = "";

  @Option(
      names = "--password-file",
      required = true,
      description = "file with the password, closed to other users")
  String passwordFile = "";

  @Option(names = "--registrar", required = true, description = "host:port of the registrar")
  String registrar = "";

  @Option(names = "--transport", description = "UDP or TCP; default: ${DEFAULT-VALUE}")
  Transport transport = Transport.UDP;

  @Option(names = "--bind", description = "host:port to listen on; default: ${DEFAULT-VALUE}")
  String bind = "0.0.0.0:0";

  @Option(names = "--expires", description = "seconds; default: ${DEFAULT-VALUE}")
  int expires = 600;

  UserAgentSettings settings() {
    HostPort at = HostPort.parse(bind);
    return UserAgentSettings.of(
            domain,
            user,
            Secret.of(passwordFile).reveal(),
            HostPort.parse(registrar),
            transport,
            SipEndpointSettings.client(new InetSocketAddress(at.host(), at.port())))
        .withExpires(Duration.ofSeconds(expires));
  }
}
