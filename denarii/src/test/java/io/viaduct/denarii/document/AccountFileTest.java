package io.viaduct.denarii.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AccountFileTest {
  @TempDir private Path folder;

  private List<AccountFile.Line> read(String text) throws Exception {
    return AccountFile.read(Files.writeString(folder.resolve("people.csv"), text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r\n", "\r"})
  void linesEndInEachWayAndAreCountedWithThoseInsideOfQuotes(String end) throws Exception {
    List<AccountFile.Line> lines =
        read(
            String.join(
                end, "\ufeffname,id", "\"two\nlines, \"\"quoted\"\"\",a", "", " Ünal ,b", ""));
    assertThat(lines)
        .containsExactly(
            new AccountFile.Line(2, "a", "two\nlines, \"quoted\"", "user", null),
            new AccountFile.Line(5, "b", "Ünal", "user", null));
  }

  @Test
  void columnsStandInAnyOrderAndTheOptionalOnesMayBeMissing() throws Exception {
    assertThat(read("PASSWORD,role,Id\n a password ,Auditor,eve\n"))
        .containsExactly(new AccountFile.Line(2, "eve", null, "auditor", " a password "));
    assertThat(read("id\n")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "id,id\na,a",
        "name\na",
        "id,phone\na,1",
        "id\n\"a\"b",
        "id\na\"b",
        "id\n\"a",
        "id\na,b",
        "id\nä",
        "id\n../etc",
        "id\na\na"
      })
  void aRefusalNamesTheLine(String text) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching("line [123]: .+");
  }
}
