package io.viaduct.bridge.revocation;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.viaduct.usage.v1.Revocation;
import java.util.List;
import org.junit.jupiter.api.Test;

class RevocationListTest {
  private final RevocationList list = new RevocationList(4, 2);

  private static Revocation entry(String account, String device, long untilMs) {
    return Revocation.newBuilder()
        .setAccount(account)
        .setDeviceKey(ByteString.copyFromUtf8(device))
        .setUntilMs(untilMs)
        .build();
  }

  private List<String> shown() {
    return list.message().getEntriesList().stream()
        .map(each -> each.getAccount() + "/" + each.getDeviceKey().toStringUtf8())
        .toList();
  }

  @Test
  void anEntryAboutTheSameTokensReplacesTheOneBefore() {
    list.put(entry("alice", "", 10));
    assertThat(list.put(entry("alice", "", 20))).isZero();
    assertThat(list.message().getEntriesList()).containsExactly(entry("alice", "", 20));
    assertThat(list.size()).isEqualTo(1);
  }

  @Test
  void aUserWhoRemovesManyDevicesDisplacesOnlyTheOwnEarliest() {
    list.put(entry("bob", "", 10));
    list.put(entry("alice", "", 10));
    list.put(entry("alice", "1", 10));
    list.put(entry("alice", "2", 10));
    assertThat(list.put(entry("alice", "3", 10))).isEqualTo(1);
    assertThat(shown()).containsExactly("bob/", "alice/", "alice/2", "alice/3");
    assertThat(list.size()).isEqualTo(4);
  }

  @Test
  void aFullListDropsTheUserWhoChangedLongestAgo() {
    for (String user : List.of("a", "b", "c", "d")) {
      list.put(entry(user, "", 10));
    }
    list.put(entry("a", "", 20));
    assertThat(list.put(entry("e", "", 20))).isEqualTo(1);
    assertThat(shown()).containsExactly("c/", "d/", "a/", "e/");
  }

  @Test
  void entriesAreForgottenWhenTheirTokensHaveEndedAndWhenTheyAreTakenBack() {
    list.put(entry("alice", "1", 10));
    list.put(entry("alice", "2", 11));
    list.put(entry("bob", "", 12));
    assertThat(list.forgetUntil(9)).isFalse();
    assertThat(list.forgetUntil(10)).isTrue();
    assertThat(shown()).containsExactly("alice/2", "bob/");
    assertThat(list.removeIf("alice", _ -> false)).isFalse();
    assertThat(list.removeIf("alice", _ -> true)).isTrue();
    assertThat(list.removeIf("carol", _ -> true)).isFalse();
    assertThat(shown()).containsExactly("bob/");
    assertThat(list.size()).isEqualTo(1);
  }
}
