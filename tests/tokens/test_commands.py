import pytest

from tasks.tokens.commands import runs_tests

TEST_RUNS = """
pytest
pytest -q tests/kiln
cd kiln && pytest -x 2>&1 | tail -20
python -m pytest tests
python3.11 -m unittest discover
FIRE=1 pytest
uv run pytest -q
uv run --group test pytest
poetry run pytest
sudo -u potter timeout 60 pytest
.venv/bin/python -m pytest
coverage run -m pytest
python manage.py test kiln
tox -e py311
nox -s unit
npm test
npm t
npm run test:unit -- --watch=false
npm --prefix web test
yarn test
yarn jest src
pnpm exec vitest run
pnpm vitest
npx -y vitest run
bun test
deno test --allow-all
npx jest --coverage
npx playwright test
node --test
go test ./...
go test -run TestFire ./kiln
CGO_ENABLED=0 go test ./... -count=1
gotestsum ./...
cargo test
cargo +nightly test --all
cargo nextest run
mvn -q -pl core test
mvn verify
./mvnw test
./gradlew :app:testDebugUnitTest
gradle integrationTest
bundle exec rspec
rake spec
bin/rails test
./vendor/bin/phpunit
php artisan test
composer test
ctest --output-on-failure
dotnet test
swift test
mix test
make test
make -j4 check
make -C kiln unit-test
just test
mise run test 2>&1
bash -lc 'cd kiln; pytest -q'
bash -c "npm test"
docker compose run --rm web pytest
docker exec -it web go test ./...
./run_tests.sh
python tests/test_fire.py
if ! pytest; then echo no; fi
(cd kiln; make test)
make build \\\\\\n  && make test
cat > a.py <<'EOF'\\nprint(1)\\nEOF\\npytest
""".strip().splitlines()

OTHER_COMMANDS = """
ls tests
cat pytest.ini
cat tests/test_fire.py
grep -rn pytest .
pip install pytest
python -m pip install pytest
uv add --group test pytest
pnpm add -D vitest
npm install --save-dev jest
which pytest
pytest --version
git commit -m "run pytest"
git add tests && git status
echo "npm test"
vim test.py
cargo check
cargo build --tests
cargo run -- test
npm run build
npm run lint -- test
go build ./cmd/test
make -C tests all
python build.py test
python -c "import pytest"
find . -name '*.test.ts'
uv sync --group test
# run the tests later
test -f kiln.py && echo yes
cat > a.sh <<'EOF'\\npytest\\nEOF
""".strip().splitlines()


@pytest.mark.parametrize("command", TEST_RUNS)
def test_a_command_that_runs_tests_is_seen(command: str) -> None:
    assert runs_tests(command.replace("\\\\\\n", "\\\n").replace("\\n", "\n"))


@pytest.mark.parametrize("command", OTHER_COMMANDS)
def test_a_command_that_only_speaks_of_tests_is_not(command: str) -> None:
    assert not runs_tests(command.replace("\\n", "\n"))


def test_a_quote_that_does_not_close_is_no_error() -> None:
    assert runs_tests("pytest -q && echo 'unfinished")
