package io.viaduct.radius;

import static io.viaduct.radius.message.Packets.SECRET;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.radius.accounting.AccountingRecord;
import io.viaduct.radius.client.AccountingClient;
import io.viaduct.radius.client.ClientSettings;
import io.viaduct.radius.client.ClientSettings.Server;
import io.viaduct.radius.message.Packets;
import io.viaduct.radius.message.RadiusPacket;
import io.viaduct.radius.server.AccountingServer;
import io.viaduct.radius.server.NasClient;
import io.viaduct.radius.server.ServerSettings;
import io.viaduct.radius.statistics.RadiusStatistics;
import io.viaduct.radius.statistics.RadiusStatistics.Count;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Our client with a FreeRADIUS server, and FreeRADIUS's client with our server.
@Timeout(60)
class FreeRadiusIT {
  private static final String TEXT = "xyzzy5461";

  @TempDir Path directory;
  private final RadiusStatistics statistics = new RadiusStatistics();

  @Test
  void freeRadiusWritesOurRecords() throws Exception {
    try (FreeRadius server = FreeRadius.start(directory, TEXT);
        AccountingClient client =
            AccountingClient.start(
                new ClientSettings(
                    List.of(new Server(server.address(), SECRET)), Duration.ofMillis(200), 7),
                Packets.DICTIONARY,
                statistics,
                InstantSource.system())) {
      RadiusPacket record = Packets.interim();
      client.send(record).get(40, TimeUnit.SECONDS);
      assertThat(server.detail())
          .contains("Acct-Status-Type = Interim-Update")
          .contains("User-Name = \"alice@ims.test\"")
          .contains("Acct-Input-Octets = 705032704")
          .contains("Acct-Input-Gigawords = 1")
          .contains("Event-Timestamp = ")
          .contains("Acct-Delay-Time = ");
      assertThat(statistics.of(Count.RESPONSE_RECEIVED)).isEqualTo(1);
    }
  }

  @Test
  void radclientGetsOurAnswer() throws Exception {
    List<AccountingRecord> records = new CopyOnWriteArrayList<>();
    try (AccountingServer server =
        AccountingServer.start(
            new ServerSettings(
                new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0),
                List.of(new NasClient("wifi", InetAddress.getByName("127.0.0.1"), SECRET)),
                10,
                Duration.ofSeconds(30),
                100),
            Packets.DICTIONARY,
            (_, record) -> {
              records.add(record);
              return CompletableFuture.completedFuture(null);
            },
            statistics,
            InstantSource.system())) {
      List<String> stop =
          List.of(
              "Acct-Status-Type = Stop",
              "Acct-Session-Id = \"4D2BB8AC-00000098\"",
              "User-Name = \"alice@ims.test\"",
              "NAS-IP-Address = 192.0.2.1",
              "Calling-Station-Id = \"02-00-00-00-00-01\"",
              "Framed-IP-Address = 198.51.100.7",
              "Acct-Session-Time = 3600",
              "Acct-Input-Octets = 1",
              "Acct-Output-Octets = 2",
              "Acct-Output-Gigawords = 1",
              "Acct-Terminate-Cause = User-Request",
              "Message-Authenticator = 0x00");
      assertThat(FreeRadius.radclient(directory, server.port(), TEXT, stop))
          .contains("Received Accounting-Response");
      AccountingRecord record = records.getFirst();
      assertThat(record.octetsDown()).isEqualTo((1L << 32) + 2);
      assertThat(record.server()).isEqualTo("192.0.2.1");
      assertThat(record.address()).isEqualTo("198.51.100.7");
      assertThat(record.cause()).isEqualTo("User-Request");
      assertThat(FreeRadius.radclient(directory, server.port(), "another secret", stop))
          .contains("No reply");
    }
  }
}
